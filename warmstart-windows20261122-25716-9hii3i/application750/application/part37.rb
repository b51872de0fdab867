require "application/part75" if 75 < 750
require "application/part76" if 76 < 750
class Part37
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 37
  def to_s = "part #{name} of #{size}"
end
