require "application/part1847" if 1847 < 1150
require "application/part1848" if 1848 < 1150
class Part923
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 923
  def to_s = "part #{name} of #{size}"
end
