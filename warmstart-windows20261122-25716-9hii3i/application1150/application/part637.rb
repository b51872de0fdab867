require "application/part1275" if 1275 < 1150
require "application/part1276" if 1276 < 1150
class Part637
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 637
  def to_s = "part #{name} of #{size}"
end
