require "application/part1439" if 1439 < 1150
require "application/part1440" if 1440 < 1150
class Part719
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 719
  def to_s = "part #{name} of #{size}"
end
