require "application/part851" if 851 < 1150
require "application/part852" if 852 < 1150
class Part425
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 425
  def to_s = "part #{name} of #{size}"
end
