require "application/part87" if 87 < 1150
require "application/part88" if 88 < 1150
class Part43
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 43
  def to_s = "part #{name} of #{size}"
end
