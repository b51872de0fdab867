require "application/part993" if 993 < 1150
require "application/part994" if 994 < 1150
class Part496
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 496
  def to_s = "part #{name} of #{size}"
end
