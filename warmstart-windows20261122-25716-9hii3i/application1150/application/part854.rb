require "application/part1709" if 1709 < 1150
require "application/part1710" if 1710 < 1150
class Part854
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 854
  def to_s = "part #{name} of #{size}"
end
