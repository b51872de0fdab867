require "application/part85" if 85 < 750
require "application/part86" if 86 < 750
class Part42
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 42
  def to_s = "part #{name} of #{size}"
end
