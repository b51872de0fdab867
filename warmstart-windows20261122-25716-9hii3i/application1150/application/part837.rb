require "application/part1675" if 1675 < 1150
require "application/part1676" if 1676 < 1150
class Part837
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 837
  def to_s = "part #{name} of #{size}"
end
