require "application/part1825" if 1825 < 1150
require "application/part1826" if 1826 < 1150
class Part912
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 912
  def to_s = "part #{name} of #{size}"
end
