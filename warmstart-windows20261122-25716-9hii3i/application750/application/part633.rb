require "application/part1267" if 1267 < 750
require "application/part1268" if 1268 < 750
class Part633
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 633
  def to_s = "part #{name} of #{size}"
end
