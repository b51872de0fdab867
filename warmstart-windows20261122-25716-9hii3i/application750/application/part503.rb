require "application/part1007" if 1007 < 750
require "application/part1008" if 1008 < 750
class Part503
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 503
  def to_s = "part #{name} of #{size}"
end
