require "application/part1971" if 1971 < 1150
require "application/part1972" if 1972 < 1150
class Part985
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 985
  def to_s = "part #{name} of #{size}"
end
