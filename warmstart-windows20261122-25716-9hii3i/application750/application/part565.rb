require "application/part1131" if 1131 < 750
require "application/part1132" if 1132 < 750
class Part565
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 565
  def to_s = "part #{name} of #{size}"
end
