require "application/part811" if 811 < 1150
require "application/part812" if 812 < 1150
class Part405
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 405
  def to_s = "part #{name} of #{size}"
end
