require "application/part495" if 495 < 1150
require "application/part496" if 496 < 1150
class Part247
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 247
  def to_s = "part #{name} of #{size}"
end
