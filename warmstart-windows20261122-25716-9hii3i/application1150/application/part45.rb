require "application/part91" if 91 < 1150
require "application/part92" if 92 < 1150
class Part45
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 45
  def to_s = "part #{name} of #{size}"
end
