require "application/part451" if 451 < 1150
require "application/part452" if 452 < 1150
class Part225
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 225
  def to_s = "part #{name} of #{size}"
end
