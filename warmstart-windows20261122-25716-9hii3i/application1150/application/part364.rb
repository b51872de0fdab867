require "application/part729" if 729 < 1150
require "application/part730" if 730 < 1150
class Part364
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 364
  def to_s = "part #{name} of #{size}"
end
