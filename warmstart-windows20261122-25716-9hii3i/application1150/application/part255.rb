require "application/part511" if 511 < 1150
require "application/part512" if 512 < 1150
class Part255
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 255
  def to_s = "part #{name} of #{size}"
end
