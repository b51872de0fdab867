require "application/part1173" if 1173 < 750
require "application/part1174" if 1174 < 750
class Part586
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 586
  def to_s = "part #{name} of #{size}"
end
