require "application/part11" if 11 < 1150
require "application/part12" if 12 < 1150
class Part5
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 5
  def to_s = "part #{name} of #{size}"
end
