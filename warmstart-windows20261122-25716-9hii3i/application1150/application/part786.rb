require "application/part1573" if 1573 < 1150
require "application/part1574" if 1574 < 1150
class Part786
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 786
  def to_s = "part #{name} of #{size}"
end
