require "application/part1449" if 1449 < 1150
require "application/part1450" if 1450 < 1150
class Part724
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 724
  def to_s = "part #{name} of #{size}"
end
