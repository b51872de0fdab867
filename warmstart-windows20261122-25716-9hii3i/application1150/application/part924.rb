require "application/part1849" if 1849 < 1150
require "application/part1850" if 1850 < 1150
class Part924
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 924
  def to_s = "part #{name} of #{size}"
end
