require "application/part5" if 5 < 1150
require "application/part6" if 6 < 1150
class Part2
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 2
  def to_s = "part #{name} of #{size}"
end
