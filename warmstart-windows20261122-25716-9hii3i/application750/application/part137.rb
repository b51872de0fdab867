require "application/part275" if 275 < 750
require "application/part276" if 276 < 750
class Part137
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 137
  def to_s = "part #{name} of #{size}"
end
