require "application/part1259" if 1259 < 750
require "application/part1260" if 1260 < 750
class Part629
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 629
  def to_s = "part #{name} of #{size}"
end
