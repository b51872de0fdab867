require "application/part951" if 951 < 1150
require "application/part952" if 952 < 1150
class Part475
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 475
  def to_s = "part #{name} of #{size}"
end
