require "application/part1839" if 1839 < 1150
require "application/part1840" if 1840 < 1150
class Part919
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 919
  def to_s = "part #{name} of #{size}"
end
