require "application/part1783" if 1783 < 1150
require "application/part1784" if 1784 < 1150
class Part891
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 891
  def to_s = "part #{name} of #{size}"
end
