require "application/part1911" if 1911 < 1150
require "application/part1912" if 1912 < 1150
class Part955
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 955
  def to_s = "part #{name} of #{size}"
end
