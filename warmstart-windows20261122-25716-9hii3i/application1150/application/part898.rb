require "application/part1797" if 1797 < 1150
require "application/part1798" if 1798 < 1150
class Part898
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 898
  def to_s = "part #{name} of #{size}"
end
