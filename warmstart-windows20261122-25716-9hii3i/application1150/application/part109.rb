require "application/part219" if 219 < 1150
require "application/part220" if 220 < 1150
class Part109
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 109
  def to_s = "part #{name} of #{size}"
end
