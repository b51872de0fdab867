require "application/part337" if 337 < 750
require "application/part338" if 338 < 750
class Part168
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 168
  def to_s = "part #{name} of #{size}"
end
