require "application/part1151" if 1151 < 1150
require "application/part1152" if 1152 < 1150
class Part575
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 575
  def to_s = "part #{name} of #{size}"
end
