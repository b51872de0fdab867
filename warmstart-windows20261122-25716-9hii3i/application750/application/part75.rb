require "application/part151" if 151 < 750
require "application/part152" if 152 < 750
class Part75
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 75
  def to_s = "part #{name} of #{size}"
end
