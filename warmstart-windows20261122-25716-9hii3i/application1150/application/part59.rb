require "application/part119" if 119 < 1150
require "application/part120" if 120 < 1150
class Part59
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 59
  def to_s = "part #{name} of #{size}"
end
