require "application/part517" if 517 < 750
require "application/part518" if 518 < 750
class Part258
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 258
  def to_s = "part #{name} of #{size}"
end
