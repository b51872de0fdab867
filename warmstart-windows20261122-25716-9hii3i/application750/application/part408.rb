require "application/part817" if 817 < 750
require "application/part818" if 818 < 750
class Part408
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 408
  def to_s = "part #{name} of #{size}"
end
