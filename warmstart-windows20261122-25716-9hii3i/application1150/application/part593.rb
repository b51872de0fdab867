require "application/part1187" if 1187 < 1150
require "application/part1188" if 1188 < 1150
class Part593
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 593
  def to_s = "part #{name} of #{size}"
end
