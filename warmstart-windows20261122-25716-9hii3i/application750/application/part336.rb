require "application/part673" if 673 < 750
require "application/part674" if 674 < 750
class Part336
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 336
  def to_s = "part #{name} of #{size}"
end
