require "application/part1809" if 1809 < 1150
require "application/part1810" if 1810 < 1150
class Part904
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 904
  def to_s = "part #{name} of #{size}"
end
