require "application/part211" if 211 < 750
require "application/part212" if 212 < 750
class Part105
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 105
  def to_s = "part #{name} of #{size}"
end
