require "application/part167" if 167 < 750
require "application/part168" if 168 < 750
class Part83
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 83
  def to_s = "part #{name} of #{size}"
end
