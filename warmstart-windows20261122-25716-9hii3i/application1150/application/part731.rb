require "application/part1463" if 1463 < 1150
require "application/part1464" if 1464 < 1150
class Part731
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 731
  def to_s = "part #{name} of #{size}"
end
