require "application/part1103" if 1103 < 1150
require "application/part1104" if 1104 < 1150
class Part551
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 551
  def to_s = "part #{name} of #{size}"
end
