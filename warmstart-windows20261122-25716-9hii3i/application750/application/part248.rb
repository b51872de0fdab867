require "application/part497" if 497 < 750
require "application/part498" if 498 < 750
class Part248
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 248
  def to_s = "part #{name} of #{size}"
end
