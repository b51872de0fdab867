require "application/part233" if 233 < 1150
require "application/part234" if 234 < 1150
class Part116
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 116
  def to_s = "part #{name} of #{size}"
end
