require "application/part1651" if 1651 < 1150
require "application/part1652" if 1652 < 1150
class Part825
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 825
  def to_s = "part #{name} of #{size}"
end
