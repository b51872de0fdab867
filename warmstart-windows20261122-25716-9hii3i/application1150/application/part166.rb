require "application/part333" if 333 < 1150
require "application/part334" if 334 < 1150
class Part166
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 166
  def to_s = "part #{name} of #{size}"
end
