require "application/part1243" if 1243 < 1150
require "application/part1244" if 1244 < 1150
class Part621
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 621
  def to_s = "part #{name} of #{size}"
end
