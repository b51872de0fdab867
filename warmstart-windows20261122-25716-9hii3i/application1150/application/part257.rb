require "application/part515" if 515 < 1150
require "application/part516" if 516 < 1150
class Part257
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 257
  def to_s = "part #{name} of #{size}"
end
