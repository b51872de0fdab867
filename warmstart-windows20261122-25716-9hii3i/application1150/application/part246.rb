require "application/part493" if 493 < 1150
require "application/part494" if 494 < 1150
class Part246
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 246
  def to_s = "part #{name} of #{size}"
end
