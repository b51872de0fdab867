require "application/part1923" if 1923 < 1150
require "application/part1924" if 1924 < 1150
class Part961
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 961
  def to_s = "part #{name} of #{size}"
end
