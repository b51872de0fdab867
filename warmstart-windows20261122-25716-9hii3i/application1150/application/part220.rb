require "application/part441" if 441 < 1150
require "application/part442" if 442 < 1150
class Part220
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 220
  def to_s = "part #{name} of #{size}"
end
