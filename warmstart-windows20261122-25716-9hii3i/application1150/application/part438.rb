require "application/part877" if 877 < 1150
require "application/part878" if 878 < 1150
class Part438
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 438
  def to_s = "part #{name} of #{size}"
end
