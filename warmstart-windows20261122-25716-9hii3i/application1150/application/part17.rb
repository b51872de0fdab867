require "application/part35" if 35 < 1150
require "application/part36" if 36 < 1150
class Part17
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 17
  def to_s = "part #{name} of #{size}"
end
