require "application/part665" if 665 < 1150
require "application/part666" if 666 < 1150
class Part332
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 332
  def to_s = "part #{name} of #{size}"
end
