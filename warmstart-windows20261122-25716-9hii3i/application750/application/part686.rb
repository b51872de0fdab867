require "application/part1373" if 1373 < 750
require "application/part1374" if 1374 < 750
class Part686
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 686
  def to_s = "part #{name} of #{size}"
end
