require "application/part1921" if 1921 < 1150
require "application/part1922" if 1922 < 1150
class Part960
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 960
  def to_s = "part #{name} of #{size}"
end
