require "application/part1289" if 1289 < 750
require "application/part1290" if 1290 < 750
class Part644
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 644
  def to_s = "part #{name} of #{size}"
end
