require "application/part1047" if 1047 < 1150
require "application/part1048" if 1048 < 1150
class Part523
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 523
  def to_s = "part #{name} of #{size}"
end
