require "application/part755" if 755 < 750
require "application/part756" if 756 < 750
class Part377
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 377
  def to_s = "part #{name} of #{size}"
end
