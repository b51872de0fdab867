require "application/part109" if 109 < 1150
require "application/part110" if 110 < 1150
class Part54
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 54
  def to_s = "part #{name} of #{size}"
end
