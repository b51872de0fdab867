require "application/part429" if 429 < 1150
require "application/part430" if 430 < 1150
class Part214
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 214
  def to_s = "part #{name} of #{size}"
end
