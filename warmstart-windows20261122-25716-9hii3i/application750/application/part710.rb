require "application/part1421" if 1421 < 750
require "application/part1422" if 1422 < 750
class Part710
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 710
  def to_s = "part #{name} of #{size}"
end
