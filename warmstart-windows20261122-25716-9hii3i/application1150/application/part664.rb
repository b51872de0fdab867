require "application/part1329" if 1329 < 1150
require "application/part1330" if 1330 < 1150
class Part664
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 664
  def to_s = "part #{name} of #{size}"
end
