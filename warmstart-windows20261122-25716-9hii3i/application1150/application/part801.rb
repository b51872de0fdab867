require "application/part1603" if 1603 < 1150
require "application/part1604" if 1604 < 1150
class Part801
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 801
  def to_s = "part #{name} of #{size}"
end
