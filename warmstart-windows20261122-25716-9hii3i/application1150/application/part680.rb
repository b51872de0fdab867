require "application/part1361" if 1361 < 1150
require "application/part1362" if 1362 < 1150
class Part680
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 680
  def to_s = "part #{name} of #{size}"
end
