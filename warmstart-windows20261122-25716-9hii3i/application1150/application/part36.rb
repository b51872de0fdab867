require "application/part73" if 73 < 1150
require "application/part74" if 74 < 1150
class Part36
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 36
  def to_s = "part #{name} of #{size}"
end
