require "application/part1661" if 1661 < 1150
require "application/part1662" if 1662 < 1150
class Part830
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 830
  def to_s = "part #{name} of #{size}"
end
