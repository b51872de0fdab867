require "application/part315" if 315 < 1150
require "application/part316" if 316 < 1150
class Part157
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 157
  def to_s = "part #{name} of #{size}"
end
