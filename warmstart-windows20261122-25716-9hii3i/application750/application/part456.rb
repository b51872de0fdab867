require "application/part913" if 913 < 750
require "application/part914" if 914 < 750
class Part456
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 456
  def to_s = "part #{name} of #{size}"
end
