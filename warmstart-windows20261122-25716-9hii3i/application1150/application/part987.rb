require "application/part1975" if 1975 < 1150
require "application/part1976" if 1976 < 1150
class Part987
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 987
  def to_s = "part #{name} of #{size}"
end
