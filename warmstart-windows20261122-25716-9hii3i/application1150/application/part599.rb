require "application/part1199" if 1199 < 1150
require "application/part1200" if 1200 < 1150
class Part599
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 599
  def to_s = "part #{name} of #{size}"
end
