require "application/part837" if 837 < 750
require "application/part838" if 838 < 750
class Part418
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 418
  def to_s = "part #{name} of #{size}"
end
