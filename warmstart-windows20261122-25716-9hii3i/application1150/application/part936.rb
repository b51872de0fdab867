require "application/part1873" if 1873 < 1150
require "application/part1874" if 1874 < 1150
class Part936
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 936
  def to_s = "part #{name} of #{size}"
end
