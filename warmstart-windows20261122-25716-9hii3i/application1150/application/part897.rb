require "application/part1795" if 1795 < 1150
require "application/part1796" if 1796 < 1150
class Part897
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 897
  def to_s = "part #{name} of #{size}"
end
