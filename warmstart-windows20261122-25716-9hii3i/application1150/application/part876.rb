require "application/part1753" if 1753 < 1150
require "application/part1754" if 1754 < 1150
class Part876
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 876
  def to_s = "part #{name} of #{size}"
end
