require "application/part1631" if 1631 < 1150
require "application/part1632" if 1632 < 1150
class Part815
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 815
  def to_s = "part #{name} of #{size}"
end
