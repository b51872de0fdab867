require "application/part1341" if 1341 < 1150
require "application/part1342" if 1342 < 1150
class Part670
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 670
  def to_s = "part #{name} of #{size}"
end
