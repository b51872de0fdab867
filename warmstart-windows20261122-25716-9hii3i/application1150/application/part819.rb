require "application/part1639" if 1639 < 1150
require "application/part1640" if 1640 < 1150
class Part819
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 819
  def to_s = "part #{name} of #{size}"
end
