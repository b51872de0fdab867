require "application/part1827" if 1827 < 1150
require "application/part1828" if 1828 < 1150
class Part913
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 913
  def to_s = "part #{name} of #{size}"
end
