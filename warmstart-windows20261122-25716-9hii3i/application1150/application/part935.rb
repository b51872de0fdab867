require "application/part1871" if 1871 < 1150
require "application/part1872" if 1872 < 1150
class Part935
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 935
  def to_s = "part #{name} of #{size}"
end
