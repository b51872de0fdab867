require "application/part751" if 751 < 1150
require "application/part752" if 752 < 1150
class Part375
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 375
  def to_s = "part #{name} of #{size}"
end
