require "application/part1285" if 1285 < 1150
require "application/part1286" if 1286 < 1150
class Part642
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 642
  def to_s = "part #{name} of #{size}"
end
