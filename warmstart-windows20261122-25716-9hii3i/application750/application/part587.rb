require "application/part1175" if 1175 < 750
require "application/part1176" if 1176 < 750
class Part587
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 587
  def to_s = "part #{name} of #{size}"
end
