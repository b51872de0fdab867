require "application/part1351" if 1351 < 1150
require "application/part1352" if 1352 < 1150
class Part675
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 675
  def to_s = "part #{name} of #{size}"
end
