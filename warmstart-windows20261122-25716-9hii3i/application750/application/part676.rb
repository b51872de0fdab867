require "application/part1353" if 1353 < 750
require "application/part1354" if 1354 < 750
class Part676
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 676
  def to_s = "part #{name} of #{size}"
end
