require "application/part1833" if 1833 < 1150
require "application/part1834" if 1834 < 1150
class Part916
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 916
  def to_s = "part #{name} of #{size}"
end
