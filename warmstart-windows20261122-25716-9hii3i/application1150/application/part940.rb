require "application/part1881" if 1881 < 1150
require "application/part1882" if 1882 < 1150
class Part940
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 940
  def to_s = "part #{name} of #{size}"
end
