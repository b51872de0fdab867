require "application/part1017" if 1017 < 1150
require "application/part1018" if 1018 < 1150
class Part508
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 508
  def to_s = "part #{name} of #{size}"
end
