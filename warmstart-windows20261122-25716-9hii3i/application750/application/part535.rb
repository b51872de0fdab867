require "application/part1071" if 1071 < 750
require "application/part1072" if 1072 < 750
class Part535
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 535
  def to_s = "part #{name} of #{size}"
end
