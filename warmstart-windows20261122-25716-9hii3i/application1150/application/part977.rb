require "application/part1955" if 1955 < 1150
require "application/part1956" if 1956 < 1150
class Part977
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 977
  def to_s = "part #{name} of #{size}"
end
