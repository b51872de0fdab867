require "application/part323" if 323 < 1150
require "application/part324" if 324 < 1150
class Part161
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 161
  def to_s = "part #{name} of #{size}"
end
