require "application/part1031" if 1031 < 1150
require "application/part1032" if 1032 < 1150
class Part515
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 515
  def to_s = "part #{name} of #{size}"
end
