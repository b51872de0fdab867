require "application/part1013" if 1013 < 1150
require "application/part1014" if 1014 < 1150
class Part506
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 506
  def to_s = "part #{name} of #{size}"
end
