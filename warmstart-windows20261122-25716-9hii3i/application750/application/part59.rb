require "application/part119" if 119 < 750
require "application/part120" if 120 < 750
class Part59
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 59
  def to_s = "part #{name} of #{size}"
end
