require "application/part2081" if 2081 < 1150
require "application/part2082" if 2082 < 1150
class Part1040
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1040
  def to_s = "part #{name} of #{size}"
end
