require "application/part129" if 129 < 1150
require "application/part130" if 130 < 1150
class Part64
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 64
  def to_s = "part #{name} of #{size}"
end
