require "application/part591" if 591 < 1150
require "application/part592" if 592 < 1150
class Part295
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 295
  def to_s = "part #{name} of #{size}"
end
