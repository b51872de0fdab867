require "application/part1823" if 1823 < 1150
require "application/part1824" if 1824 < 1150
class Part911
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 911
  def to_s = "part #{name} of #{size}"
end
