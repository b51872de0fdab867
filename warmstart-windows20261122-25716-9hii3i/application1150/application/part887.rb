require "application/part1775" if 1775 < 1150
require "application/part1776" if 1776 < 1150
class Part887
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 887
  def to_s = "part #{name} of #{size}"
end
