require "application/part185" if 185 < 750
require "application/part186" if 186 < 750
class Part92
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 92
  def to_s = "part #{name} of #{size}"
end
