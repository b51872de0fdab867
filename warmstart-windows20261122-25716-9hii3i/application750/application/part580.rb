require "application/part1161" if 1161 < 750
require "application/part1162" if 1162 < 750
class Part580
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 580
  def to_s = "part #{name} of #{size}"
end
