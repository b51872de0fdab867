require "application/part953" if 953 < 1150
require "application/part954" if 954 < 1150
class Part476
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 476
  def to_s = "part #{name} of #{size}"
end
