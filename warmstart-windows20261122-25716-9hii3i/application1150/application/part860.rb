require "application/part1721" if 1721 < 1150
require "application/part1722" if 1722 < 1150
class Part860
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 860
  def to_s = "part #{name} of #{size}"
end
