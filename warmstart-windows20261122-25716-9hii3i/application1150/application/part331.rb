require "application/part663" if 663 < 1150
require "application/part664" if 664 < 1150
class Part331
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 331
  def to_s = "part #{name} of #{size}"
end
