require "application/part1239" if 1239 < 1150
require "application/part1240" if 1240 < 1150
class Part619
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 619
  def to_s = "part #{name} of #{size}"
end
