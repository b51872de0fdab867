require "application/part1141" if 1141 < 1150
require "application/part1142" if 1142 < 1150
class Part570
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 570
  def to_s = "part #{name} of #{size}"
end
