require "application/part1025" if 1025 < 750
require "application/part1026" if 1026 < 750
class Part512
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 512
  def to_s = "part #{name} of #{size}"
end
