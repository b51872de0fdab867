require "application/part1435" if 1435 < 750
require "application/part1436" if 1436 < 750
class Part717
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 717
  def to_s = "part #{name} of #{size}"
end
