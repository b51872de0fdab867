require "application/part261" if 261 < 750
require "application/part262" if 262 < 750
class Part130
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 130
  def to_s = "part #{name} of #{size}"
end
