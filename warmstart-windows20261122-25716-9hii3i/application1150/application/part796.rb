require "application/part1593" if 1593 < 1150
require "application/part1594" if 1594 < 1150
class Part796
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 796
  def to_s = "part #{name} of #{size}"
end
