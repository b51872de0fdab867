require "application/part51" if 51 < 1150
require "application/part52" if 52 < 1150
class Part25
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 25
  def to_s = "part #{name} of #{size}"
end
