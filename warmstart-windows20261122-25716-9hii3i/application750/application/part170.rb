require "application/part341" if 341 < 750
require "application/part342" if 342 < 750
class Part170
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 170
  def to_s = "part #{name} of #{size}"
end
