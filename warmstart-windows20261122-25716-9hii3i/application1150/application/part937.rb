require "application/part1875" if 1875 < 1150
require "application/part1876" if 1876 < 1150
class Part937
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 937
  def to_s = "part #{name} of #{size}"
end
