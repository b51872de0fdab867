require "application/part493" if 493 < 750
require "application/part494" if 494 < 750
class Part246
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 246
  def to_s = "part #{name} of #{size}"
end
