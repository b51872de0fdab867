require "application/part2181" if 2181 < 1150
require "application/part2182" if 2182 < 1150
class Part1090
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1090
  def to_s = "part #{name} of #{size}"
end
