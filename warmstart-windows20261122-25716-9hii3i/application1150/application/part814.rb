require "application/part1629" if 1629 < 1150
require "application/part1630" if 1630 < 1150
class Part814
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 814
  def to_s = "part #{name} of #{size}"
end
