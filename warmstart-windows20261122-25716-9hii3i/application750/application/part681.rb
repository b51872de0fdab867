require "application/part1363" if 1363 < 750
require "application/part1364" if 1364 < 750
class Part681
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 681
  def to_s = "part #{name} of #{size}"
end
