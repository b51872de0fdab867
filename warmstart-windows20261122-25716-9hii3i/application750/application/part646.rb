require "application/part1293" if 1293 < 750
require "application/part1294" if 1294 < 750
class Part646
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 646
  def to_s = "part #{name} of #{size}"
end
