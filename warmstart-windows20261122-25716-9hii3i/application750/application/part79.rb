require "application/part159" if 159 < 750
require "application/part160" if 160 < 750
class Part79
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 79
  def to_s = "part #{name} of #{size}"
end
