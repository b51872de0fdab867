require "application/part71" if 71 < 750
require "application/part72" if 72 < 750
class Part35
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 35
  def to_s = "part #{name} of #{size}"
end
