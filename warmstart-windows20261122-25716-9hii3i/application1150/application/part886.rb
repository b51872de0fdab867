require "application/part1773" if 1773 < 1150
require "application/part1774" if 1774 < 1150
class Part886
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 886
  def to_s = "part #{name} of #{size}"
end
