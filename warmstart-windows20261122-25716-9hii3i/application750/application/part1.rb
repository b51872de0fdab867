require "application/part3" if 3 < 750
require "application/part4" if 4 < 750
class Part1
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1
  def to_s = "part #{name} of #{size}"
end
