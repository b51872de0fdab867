require "application/part547" if 547 < 1150
require "application/part548" if 548 < 1150
class Part273
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 273
  def to_s = "part #{name} of #{size}"
end
