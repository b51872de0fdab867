require "application/part49" if 49 < 1150
require "application/part50" if 50 < 1150
class Part24
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 24
  def to_s = "part #{name} of #{size}"
end
