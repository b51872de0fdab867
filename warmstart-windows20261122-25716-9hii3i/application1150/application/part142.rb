require "application/part285" if 285 < 1150
require "application/part286" if 286 < 1150
class Part142
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 142
  def to_s = "part #{name} of #{size}"
end
