require "application/part1241" if 1241 < 750
require "application/part1242" if 1242 < 750
class Part620
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 620
  def to_s = "part #{name} of #{size}"
end
