require "application/part245" if 245 < 750
require "application/part246" if 246 < 750
class Part122
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 122
  def to_s = "part #{name} of #{size}"
end
