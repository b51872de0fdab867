require "application/part95" if 95 < 750
require "application/part96" if 96 < 750
class Part47
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 47
  def to_s = "part #{name} of #{size}"
end
