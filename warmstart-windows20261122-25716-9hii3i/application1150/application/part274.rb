require "application/part549" if 549 < 1150
require "application/part550" if 550 < 1150
class Part274
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 274
  def to_s = "part #{name} of #{size}"
end
