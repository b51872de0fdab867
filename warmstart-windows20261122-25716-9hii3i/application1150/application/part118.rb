require "application/part237" if 237 < 1150
require "application/part238" if 238 < 1150
class Part118
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 118
  def to_s = "part #{name} of #{size}"
end
