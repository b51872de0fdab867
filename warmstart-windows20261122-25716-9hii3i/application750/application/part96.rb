require "application/part193" if 193 < 750
require "application/part194" if 194 < 750
class Part96
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 96
  def to_s = "part #{name} of #{size}"
end
