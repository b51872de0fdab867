require "application/part29" if 29 < 750
require "application/part30" if 30 < 750
class Part14
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 14
  def to_s = "part #{name} of #{size}"
end
