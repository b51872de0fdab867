require "application/part1507" if 1507 < 1150
require "application/part1508" if 1508 < 1150
class Part753
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 753
  def to_s = "part #{name} of #{size}"
end
