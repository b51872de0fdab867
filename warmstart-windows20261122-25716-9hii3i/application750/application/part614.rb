require "application/part1229" if 1229 < 750
require "application/part1230" if 1230 < 750
class Part614
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 614
  def to_s = "part #{name} of #{size}"
end
