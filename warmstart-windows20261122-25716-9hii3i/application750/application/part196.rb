require "application/part393" if 393 < 750
require "application/part394" if 394 < 750
class Part196
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 196
  def to_s = "part #{name} of #{size}"
end
