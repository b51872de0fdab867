require "application/part37" if 37 < 750
require "application/part38" if 38 < 750
class Part18
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 18
  def to_s = "part #{name} of #{size}"
end
