require "application/part215" if 215 < 1150
require "application/part216" if 216 < 1150
class Part107
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 107
  def to_s = "part #{name} of #{size}"
end
