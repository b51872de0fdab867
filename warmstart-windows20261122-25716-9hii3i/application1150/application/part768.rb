require "application/part1537" if 1537 < 1150
require "application/part1538" if 1538 < 1150
class Part768
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 768
  def to_s = "part #{name} of #{size}"
end
