require "application/part1417" if 1417 < 1150
require "application/part1418" if 1418 < 1150
class Part708
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 708
  def to_s = "part #{name} of #{size}"
end
