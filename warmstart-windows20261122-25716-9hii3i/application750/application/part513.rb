require "application/part1027" if 1027 < 750
require "application/part1028" if 1028 < 750
class Part513
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 513
  def to_s = "part #{name} of #{size}"
end
