require "application/part1231" if 1231 < 750
require "application/part1232" if 1232 < 750
class Part615
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 615
  def to_s = "part #{name} of #{size}"
end
