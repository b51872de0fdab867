require "application/part1143" if 1143 < 750
require "application/part1144" if 1144 < 750
class Part571
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 571
  def to_s = "part #{name} of #{size}"
end
