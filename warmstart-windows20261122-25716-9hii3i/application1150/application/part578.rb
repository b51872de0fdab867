require "application/part1157" if 1157 < 1150
require "application/part1158" if 1158 < 1150
class Part578
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 578
  def to_s = "part #{name} of #{size}"
end
