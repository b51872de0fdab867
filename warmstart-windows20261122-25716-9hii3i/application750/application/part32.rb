require "application/part65" if 65 < 750
require "application/part66" if 66 < 750
class Part32
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 32
  def to_s = "part #{name} of #{size}"
end
