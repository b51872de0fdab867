require "application/part713" if 713 < 1150
require "application/part714" if 714 < 1150
class Part356
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 356
  def to_s = "part #{name} of #{size}"
end
