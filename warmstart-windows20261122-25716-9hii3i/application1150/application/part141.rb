require "application/part283" if 283 < 1150
require "application/part284" if 284 < 1150
class Part141
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 141
  def to_s = "part #{name} of #{size}"
end
