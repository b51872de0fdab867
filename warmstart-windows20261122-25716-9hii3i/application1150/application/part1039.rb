require "application/part2079" if 2079 < 1150
require "application/part2080" if 2080 < 1150
class Part1039
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1039
  def to_s = "part #{name} of #{size}"
end
