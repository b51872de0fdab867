require "application/part897" if 897 < 1150
require "application/part898" if 898 < 1150
class Part448
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 448
  def to_s = "part #{name} of #{size}"
end
