require "application/part869" if 869 < 750
require "application/part870" if 870 < 750
class Part434
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 434
  def to_s = "part #{name} of #{size}"
end
