require "application/part389" if 389 < 750
require "application/part390" if 390 < 750
class Part194
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 194
  def to_s = "part #{name} of #{size}"
end
