require "application/part179" if 179 < 750
require "application/part180" if 180 < 750
class Part89
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 89
  def to_s = "part #{name} of #{size}"
end
