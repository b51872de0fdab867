require "application/part7" if 7 < 1150
require "application/part8" if 8 < 1150
class Part3
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 3
  def to_s = "part #{name} of #{size}"
end
