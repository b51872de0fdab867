require "application/part1001" if 1001 < 1150
require "application/part1002" if 1002 < 1150
class Part500
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 500
  def to_s = "part #{name} of #{size}"
end
