require "application/part365" if 365 < 750
require "application/part366" if 366 < 750
class Part182
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 182
  def to_s = "part #{name} of #{size}"
end
