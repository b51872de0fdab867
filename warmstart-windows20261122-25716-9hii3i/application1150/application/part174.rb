require "application/part349" if 349 < 1150
require "application/part350" if 350 < 1150
class Part174
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 174
  def to_s = "part #{name} of #{size}"
end
