require "application/part1403" if 1403 < 1150
require "application/part1404" if 1404 < 1150
class Part701
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 701
  def to_s = "part #{name} of #{size}"
end
