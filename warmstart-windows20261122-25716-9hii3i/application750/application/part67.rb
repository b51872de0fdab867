require "application/part135" if 135 < 750
require "application/part136" if 136 < 750
class Part67
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 67
  def to_s = "part #{name} of #{size}"
end
