require "application/part1961" if 1961 < 1150
require "application/part1962" if 1962 < 1150
class Part980
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 980
  def to_s = "part #{name} of #{size}"
end
