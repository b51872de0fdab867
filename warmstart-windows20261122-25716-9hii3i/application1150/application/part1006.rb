require "application/part2013" if 2013 < 1150
require "application/part2014" if 2014 < 1150
class Part1006
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1006
  def to_s = "part #{name} of #{size}"
end
