require "application/part1301" if 1301 < 1150
require "application/part1302" if 1302 < 1150
class Part650
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 650
  def to_s = "part #{name} of #{size}"
end
