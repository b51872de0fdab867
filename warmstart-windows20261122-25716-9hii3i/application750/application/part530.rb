require "application/part1061" if 1061 < 750
require "application/part1062" if 1062 < 750
class Part530
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 530
  def to_s = "part #{name} of #{size}"
end
