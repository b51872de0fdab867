require "application/part149" if 149 < 750
require "application/part150" if 150 < 750
class Part74
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 74
  def to_s = "part #{name} of #{size}"
end
