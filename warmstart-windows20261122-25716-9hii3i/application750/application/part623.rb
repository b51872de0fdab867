require "application/part1247" if 1247 < 750
require "application/part1248" if 1248 < 750
class Part623
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 623
  def to_s = "part #{name} of #{size}"
end
