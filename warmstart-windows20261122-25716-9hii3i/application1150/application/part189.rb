require "application/part379" if 379 < 1150
require "application/part380" if 380 < 1150
class Part189
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 189
  def to_s = "part #{name} of #{size}"
end
