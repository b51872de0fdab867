require "application/part769" if 769 < 750
require "application/part770" if 770 < 750
class Part384
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 384
  def to_s = "part #{name} of #{size}"
end
