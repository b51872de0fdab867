require "application/part1963" if 1963 < 1150
require "application/part1964" if 1964 < 1150
class Part981
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 981
  def to_s = "part #{name} of #{size}"
end
