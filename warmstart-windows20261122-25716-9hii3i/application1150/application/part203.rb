require "application/part407" if 407 < 1150
require "application/part408" if 408 < 1150
class Part203
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 203
  def to_s = "part #{name} of #{size}"
end
