require "application/part753" if 753 < 1150
require "application/part754" if 754 < 1150
class Part376
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 376
  def to_s = "part #{name} of #{size}"
end
