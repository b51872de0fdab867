require "application/part1037" if 1037 < 1150
require "application/part1038" if 1038 < 1150
class Part518
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 518
  def to_s = "part #{name} of #{size}"
end
