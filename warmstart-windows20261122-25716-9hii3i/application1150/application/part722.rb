require "application/part1445" if 1445 < 1150
require "application/part1446" if 1446 < 1150
class Part722
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 722
  def to_s = "part #{name} of #{size}"
end
