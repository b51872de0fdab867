require "application/part371" if 371 < 1150
require "application/part372" if 372 < 1150
class Part185
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 185
  def to_s = "part #{name} of #{size}"
end
