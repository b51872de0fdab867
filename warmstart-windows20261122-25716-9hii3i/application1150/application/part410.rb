require "application/part821" if 821 < 1150
require "application/part822" if 822 < 1150
class Part410
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 410
  def to_s = "part #{name} of #{size}"
end
