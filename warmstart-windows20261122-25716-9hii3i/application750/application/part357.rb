require "application/part715" if 715 < 750
require "application/part716" if 716 < 750
class Part357
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 357
  def to_s = "part #{name} of #{size}"
end
