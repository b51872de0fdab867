require "application/part1905" if 1905 < 1150
require "application/part1906" if 1906 < 1150
class Part952
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 952
  def to_s = "part #{name} of #{size}"
end
