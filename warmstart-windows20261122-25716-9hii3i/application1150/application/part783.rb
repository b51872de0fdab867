require "application/part1567" if 1567 < 1150
require "application/part1568" if 1568 < 1150
class Part783
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 783
  def to_s = "part #{name} of #{size}"
end
