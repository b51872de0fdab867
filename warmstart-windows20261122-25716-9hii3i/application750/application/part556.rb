require "application/part1113" if 1113 < 750
require "application/part1114" if 1114 < 750
class Part556
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 556
  def to_s = "part #{name} of #{size}"
end
