require "application/part465" if 465 < 750
require "application/part466" if 466 < 750
class Part232
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 232
  def to_s = "part #{name} of #{size}"
end
