require "application/part1083" if 1083 < 1150
require "application/part1084" if 1084 < 1150
class Part541
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 541
  def to_s = "part #{name} of #{size}"
end
