require "application/part1937" if 1937 < 1150
require "application/part1938" if 1938 < 1150
class Part968
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 968
  def to_s = "part #{name} of #{size}"
end
