require "application/part299" if 299 < 1150
require "application/part300" if 300 < 1150
class Part149
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 149
  def to_s = "part #{name} of #{size}"
end
