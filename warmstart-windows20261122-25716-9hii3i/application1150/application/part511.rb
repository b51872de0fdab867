require "application/part1023" if 1023 < 1150
require "application/part1024" if 1024 < 1150
class Part511
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 511
  def to_s = "part #{name} of #{size}"
end
