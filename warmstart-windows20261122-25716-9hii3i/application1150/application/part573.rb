require "application/part1147" if 1147 < 1150
require "application/part1148" if 1148 < 1150
class Part573
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 573
  def to_s = "part #{name} of #{size}"
end
