require "application/part2021" if 2021 < 1150
require "application/part2022" if 2022 < 1150
class Part1010
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1010
  def to_s = "part #{name} of #{size}"
end
