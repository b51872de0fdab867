require "application/part267" if 267 < 1150
require "application/part268" if 268 < 1150
class Part133
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 133
  def to_s = "part #{name} of #{size}"
end
