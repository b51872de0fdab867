require "application/part1815" if 1815 < 1150
require "application/part1816" if 1816 < 1150
class Part907
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 907
  def to_s = "part #{name} of #{size}"
end
