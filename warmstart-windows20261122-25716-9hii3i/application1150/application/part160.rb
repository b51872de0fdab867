require "application/part321" if 321 < 1150
require "application/part322" if 322 < 1150
class Part160
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 160
  def to_s = "part #{name} of #{size}"
end
