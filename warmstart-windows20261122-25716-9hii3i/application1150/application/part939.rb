require "application/part1879" if 1879 < 1150
require "application/part1880" if 1880 < 1150
class Part939
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 939
  def to_s = "part #{name} of #{size}"
end
