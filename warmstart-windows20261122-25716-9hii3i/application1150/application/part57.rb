require "application/part115" if 115 < 1150
require "application/part116" if 116 < 1150
class Part57
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 57
  def to_s = "part #{name} of #{size}"
end
