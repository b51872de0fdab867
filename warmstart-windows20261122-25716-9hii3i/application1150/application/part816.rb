require "application/part1633" if 1633 < 1150
require "application/part1634" if 1634 < 1150
class Part816
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 816
  def to_s = "part #{name} of #{size}"
end
