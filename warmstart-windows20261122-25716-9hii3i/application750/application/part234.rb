require "application/part469" if 469 < 750
require "application/part470" if 470 < 750
class Part234
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 234
  def to_s = "part #{name} of #{size}"
end
