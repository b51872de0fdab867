require "application/part209" if 209 < 750
require "application/part210" if 210 < 750
class Part104
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 104
  def to_s = "part #{name} of #{size}"
end
