require "application/part505" if 505 < 750
require "application/part506" if 506 < 750
class Part252
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 252
  def to_s = "part #{name} of #{size}"
end
