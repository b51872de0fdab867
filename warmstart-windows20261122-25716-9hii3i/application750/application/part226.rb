require "application/part453" if 453 < 750
require "application/part454" if 454 < 750
class Part226
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 226
  def to_s = "part #{name} of #{size}"
end
