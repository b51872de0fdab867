require "application/part255" if 255 < 750
require "application/part256" if 256 < 750
class Part127
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 127
  def to_s = "part #{name} of #{size}"
end
