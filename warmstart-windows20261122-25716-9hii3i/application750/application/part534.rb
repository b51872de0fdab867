require "application/part1069" if 1069 < 750
require "application/part1070" if 1070 < 750
class Part534
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 534
  def to_s = "part #{name} of #{size}"
end
