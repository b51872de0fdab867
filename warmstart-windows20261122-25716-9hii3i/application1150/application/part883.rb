require "application/part1767" if 1767 < 1150
require "application/part1768" if 1768 < 1150
class Part883
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 883
  def to_s = "part #{name} of #{size}"
end
