require "application/part1723" if 1723 < 1150
require "application/part1724" if 1724 < 1150
class Part861
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 861
  def to_s = "part #{name} of #{size}"
end
