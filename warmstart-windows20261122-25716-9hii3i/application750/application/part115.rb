require "application/part231" if 231 < 750
require "application/part232" if 232 < 750
class Part115
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 115
  def to_s = "part #{name} of #{size}"
end
