require "application/part1555" if 1555 < 1150
require "application/part1556" if 1556 < 1150
class Part777
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 777
  def to_s = "part #{name} of #{size}"
end
