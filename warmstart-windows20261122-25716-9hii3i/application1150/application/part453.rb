require "application/part907" if 907 < 1150
require "application/part908" if 908 < 1150
class Part453
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 453
  def to_s = "part #{name} of #{size}"
end
