require "application/part1021" if 1021 < 1150
require "application/part1022" if 1022 < 1150
class Part510
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 510
  def to_s = "part #{name} of #{size}"
end
