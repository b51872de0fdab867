require "application/part1203" if 1203 < 750
require "application/part1204" if 1204 < 750
class Part601
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 601
  def to_s = "part #{name} of #{size}"
end
