require "application/part2023" if 2023 < 1150
require "application/part2024" if 2024 < 1150
class Part1011
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1011
  def to_s = "part #{name} of #{size}"
end
