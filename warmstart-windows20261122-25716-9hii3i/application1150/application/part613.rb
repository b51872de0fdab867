require "application/part1227" if 1227 < 1150
require "application/part1228" if 1228 < 1150
class Part613
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 613
  def to_s = "part #{name} of #{size}"
end
