require "application/part1219" if 1219 < 1150
require "application/part1220" if 1220 < 1150
class Part609
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 609
  def to_s = "part #{name} of #{size}"
end
