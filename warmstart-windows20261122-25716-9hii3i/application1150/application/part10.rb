require "application/part21" if 21 < 1150
require "application/part22" if 22 < 1150
class Part10
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 10
  def to_s = "part #{name} of #{size}"
end
