require "application/part45" if 45 < 750
require "application/part46" if 46 < 750
class Part22
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 22
  def to_s = "part #{name} of #{size}"
end
