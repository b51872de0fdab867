require "application/part1327" if 1327 < 750
require "application/part1328" if 1328 < 750
class Part663
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 663
  def to_s = "part #{name} of #{size}"
end
