require "application/part205" if 205 < 1150
require "application/part206" if 206 < 1150
class Part102
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 102
  def to_s = "part #{name} of #{size}"
end
