require "application/part929" if 929 < 1150
require "application/part930" if 930 < 1150
class Part464
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 464
  def to_s = "part #{name} of #{size}"
end
