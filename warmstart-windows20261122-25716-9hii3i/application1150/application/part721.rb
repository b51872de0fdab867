require "application/part1443" if 1443 < 1150
require "application/part1444" if 1444 < 1150
class Part721
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 721
  def to_s = "part #{name} of #{size}"
end
