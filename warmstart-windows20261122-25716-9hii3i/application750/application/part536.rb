require "application/part1073" if 1073 < 750
require "application/part1074" if 1074 < 750
class Part536
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 536
  def to_s = "part #{name} of #{size}"
end
