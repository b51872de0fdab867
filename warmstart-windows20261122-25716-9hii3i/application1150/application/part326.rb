require "application/part653" if 653 < 1150
require "application/part654" if 654 < 1150
class Part326
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 326
  def to_s = "part #{name} of #{size}"
end
