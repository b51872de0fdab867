require "application/part621" if 621 < 750
require "application/part622" if 622 < 750
class Part310
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 310
  def to_s = "part #{name} of #{size}"
end
