require "application/part1867" if 1867 < 1150
require "application/part1868" if 1868 < 1150
class Part933
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 933
  def to_s = "part #{name} of #{size}"
end
