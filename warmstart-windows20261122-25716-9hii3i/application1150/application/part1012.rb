require "application/part2025" if 2025 < 1150
require "application/part2026" if 2026 < 1150
class Part1012
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1012
  def to_s = "part #{name} of #{size}"
end
