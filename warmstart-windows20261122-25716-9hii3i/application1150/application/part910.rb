require "application/part1821" if 1821 < 1150
require "application/part1822" if 1822 < 1150
class Part910
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 910
  def to_s = "part #{name} of #{size}"
end
