require "application/part9" if 9 < 750
require "application/part10" if 10 < 750
class Part4
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 4
  def to_s = "part #{name} of #{size}"
end
