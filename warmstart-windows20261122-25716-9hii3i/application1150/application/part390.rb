require "application/part781" if 781 < 1150
require "application/part782" if 782 < 1150
class Part390
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 390
  def to_s = "part #{name} of #{size}"
end
