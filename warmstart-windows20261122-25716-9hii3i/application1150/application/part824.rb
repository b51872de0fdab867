require "application/part1649" if 1649 < 1150
require "application/part1650" if 1650 < 1150
class Part824
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 824
  def to_s = "part #{name} of #{size}"
end
