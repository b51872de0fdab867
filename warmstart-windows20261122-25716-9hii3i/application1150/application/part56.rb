require "application/part113" if 113 < 1150
require "application/part114" if 114 < 1150
class Part56
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 56
  def to_s = "part #{name} of #{size}"
end
