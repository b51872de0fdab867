require "application/part843" if 843 < 750
require "application/part844" if 844 < 750
class Part421
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 421
  def to_s = "part #{name} of #{size}"
end
