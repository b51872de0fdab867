require "application/part1413" if 1413 < 750
require "application/part1414" if 1414 < 750
class Part706
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 706
  def to_s = "part #{name} of #{size}"
end
