require "application/part1303" if 1303 < 750
require "application/part1304" if 1304 < 750
class Part651
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 651
  def to_s = "part #{name} of #{size}"
end
