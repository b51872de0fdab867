require "application/part1237" if 1237 < 750
require "application/part1238" if 1238 < 750
class Part618
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 618
  def to_s = "part #{name} of #{size}"
end
