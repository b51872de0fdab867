require "application/part23" if 23 < 750
require "application/part24" if 24 < 750
class Part11
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 11
  def to_s = "part #{name} of #{size}"
end
