require "application/part1377" if 1377 < 1150
require "application/part1378" if 1378 < 1150
class Part688
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 688
  def to_s = "part #{name} of #{size}"
end
