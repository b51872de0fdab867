require "application/part1371" if 1371 < 1150
require "application/part1372" if 1372 < 1150
class Part685
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 685
  def to_s = "part #{name} of #{size}"
end
