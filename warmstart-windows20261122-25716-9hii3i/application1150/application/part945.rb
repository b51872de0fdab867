require "application/part1891" if 1891 < 1150
require "application/part1892" if 1892 < 1150
class Part945
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 945
  def to_s = "part #{name} of #{size}"
end
