require "application/part457" if 457 < 750
require "application/part458" if 458 < 750
class Part228
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 228
  def to_s = "part #{name} of #{size}"
end
