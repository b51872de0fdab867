require "application/part397" if 397 < 1150
require "application/part398" if 398 < 1150
class Part198
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 198
  def to_s = "part #{name} of #{size}"
end
