require "application/part793" if 793 < 750
require "application/part794" if 794 < 750
class Part396
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 396
  def to_s = "part #{name} of #{size}"
end
