require "application/part1515" if 1515 < 1150
require "application/part1516" if 1516 < 1150
class Part757
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 757
  def to_s = "part #{name} of #{size}"
end
