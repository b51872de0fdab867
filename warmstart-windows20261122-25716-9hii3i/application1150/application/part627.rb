require "application/part1255" if 1255 < 1150
require "application/part1256" if 1256 < 1150
class Part627
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 627
  def to_s = "part #{name} of #{size}"
end
