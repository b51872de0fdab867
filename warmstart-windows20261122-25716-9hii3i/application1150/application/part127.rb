require "application/part255" if 255 < 1150
require "application/part256" if 256 < 1150
class Part127
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 127
  def to_s = "part #{name} of #{size}"
end
