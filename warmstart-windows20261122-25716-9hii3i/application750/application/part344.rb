require "application/part689" if 689 < 750
require "application/part690" if 690 < 750
class Part344
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 344
  def to_s = "part #{name} of #{size}"
end
