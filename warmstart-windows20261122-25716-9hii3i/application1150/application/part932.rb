require "application/part1865" if 1865 < 1150
require "application/part1866" if 1866 < 1150
class Part932
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 932
  def to_s = "part #{name} of #{size}"
end
