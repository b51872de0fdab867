require "application/part907" if 907 < 750
require "application/part908" if 908 < 750
class Part453
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 453
  def to_s = "part #{name} of #{size}"
end
