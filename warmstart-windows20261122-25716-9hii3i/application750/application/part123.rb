require "application/part247" if 247 < 750
require "application/part248" if 248 < 750
class Part123
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 123
  def to_s = "part #{name} of #{size}"
end
