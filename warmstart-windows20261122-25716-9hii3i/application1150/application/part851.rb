require "application/part1703" if 1703 < 1150
require "application/part1704" if 1704 < 1150
class Part851
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 851
  def to_s = "part #{name} of #{size}"
end
