require "application/part695" if 695 < 1150
require "application/part696" if 696 < 1150
class Part347
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 347
  def to_s = "part #{name} of #{size}"
end
