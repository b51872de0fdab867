require "application/part1817" if 1817 < 1150
require "application/part1818" if 1818 < 1150
class Part908
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 908
  def to_s = "part #{name} of #{size}"
end
