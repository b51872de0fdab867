require "application/part1679" if 1679 < 1150
require "application/part1680" if 1680 < 1150
class Part839
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 839
  def to_s = "part #{name} of #{size}"
end
