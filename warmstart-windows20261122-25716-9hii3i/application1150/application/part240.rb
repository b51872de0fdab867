require "application/part481" if 481 < 1150
require "application/part482" if 482 < 1150
class Part240
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 240
  def to_s = "part #{name} of #{size}"
end
