require "application/part667" if 667 < 1150
require "application/part668" if 668 < 1150
class Part333
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 333
  def to_s = "part #{name} of #{size}"
end
