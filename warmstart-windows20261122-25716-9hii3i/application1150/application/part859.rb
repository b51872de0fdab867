require "application/part1719" if 1719 < 1150
require "application/part1720" if 1720 < 1150
class Part859
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 859
  def to_s = "part #{name} of #{size}"
end
