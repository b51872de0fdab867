require "application/part1391" if 1391 < 1150
require "application/part1392" if 1392 < 1150
class Part695
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 695
  def to_s = "part #{name} of #{size}"
end
