require "application/part1789" if 1789 < 1150
require "application/part1790" if 1790 < 1150
class Part894
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 894
  def to_s = "part #{name} of #{size}"
end
