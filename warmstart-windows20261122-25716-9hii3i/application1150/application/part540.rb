require "application/part1081" if 1081 < 1150
require "application/part1082" if 1082 < 1150
class Part540
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 540
  def to_s = "part #{name} of #{size}"
end
