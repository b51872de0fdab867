require "application/part1587" if 1587 < 1150
require "application/part1588" if 1588 < 1150
class Part793
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 793
  def to_s = "part #{name} of #{size}"
end
