require "application/part533" if 533 < 750
require "application/part534" if 534 < 750
class Part266
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 266
  def to_s = "part #{name} of #{size}"
end
