require "application/part1339" if 1339 < 1150
require "application/part1340" if 1340 < 1150
class Part669
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 669
  def to_s = "part #{name} of #{size}"
end
