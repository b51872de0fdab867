require "application/part279" if 279 < 750
require "application/part280" if 280 < 750
class Part139
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 139
  def to_s = "part #{name} of #{size}"
end
