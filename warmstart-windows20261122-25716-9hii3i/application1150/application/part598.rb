require "application/part1197" if 1197 < 1150
require "application/part1198" if 1198 < 1150
class Part598
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 598
  def to_s = "part #{name} of #{size}"
end
