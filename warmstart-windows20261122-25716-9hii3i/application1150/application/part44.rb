require "application/part89" if 89 < 1150
require "application/part90" if 90 < 1150
class Part44
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 44
  def to_s = "part #{name} of #{size}"
end
