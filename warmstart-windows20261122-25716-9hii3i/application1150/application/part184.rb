require "application/part369" if 369 < 1150
require "application/part370" if 370 < 1150
class Part184
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 184
  def to_s = "part #{name} of #{size}"
end
