require "application/part1375" if 1375 < 750
require "application/part1376" if 1376 < 750
class Part687
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 687
  def to_s = "part #{name} of #{size}"
end
