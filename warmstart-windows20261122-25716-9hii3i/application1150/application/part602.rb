require "application/part1205" if 1205 < 1150
require "application/part1206" if 1206 < 1150
class Part602
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 602
  def to_s = "part #{name} of #{size}"
end
