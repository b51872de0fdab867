require "application/part1761" if 1761 < 1150
require "application/part1762" if 1762 < 1150
class Part880
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 880
  def to_s = "part #{name} of #{size}"
end
