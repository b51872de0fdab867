require "application/part1893" if 1893 < 1150
require "application/part1894" if 1894 < 1150
class Part946
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 946
  def to_s = "part #{name} of #{size}"
end
