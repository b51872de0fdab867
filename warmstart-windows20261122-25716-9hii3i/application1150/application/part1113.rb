require "application/part2227" if 2227 < 1150
require "application/part2228" if 2228 < 1150
class Part1113
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1113
  def to_s = "part #{name} of #{size}"
end
