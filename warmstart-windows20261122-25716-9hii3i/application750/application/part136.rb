require "application/part273" if 273 < 750
require "application/part274" if 274 < 750
class Part136
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 136
  def to_s = "part #{name} of #{size}"
end
