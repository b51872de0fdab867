require "application/part2131" if 2131 < 1150
require "application/part2132" if 2132 < 1150
class Part1065
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1065
  def to_s = "part #{name} of #{size}"
end
