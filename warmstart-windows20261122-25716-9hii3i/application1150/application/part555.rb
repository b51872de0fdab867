require "application/part1111" if 1111 < 1150
require "application/part1112" if 1112 < 1150
class Part555
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 555
  def to_s = "part #{name} of #{size}"
end
