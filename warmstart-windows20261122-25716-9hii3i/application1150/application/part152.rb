require "application/part305" if 305 < 1150
require "application/part306" if 306 < 1150
class Part152
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 152
  def to_s = "part #{name} of #{size}"
end
