require "application/part1925" if 1925 < 1150
require "application/part1926" if 1926 < 1150
class Part962
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 962
  def to_s = "part #{name} of #{size}"
end
