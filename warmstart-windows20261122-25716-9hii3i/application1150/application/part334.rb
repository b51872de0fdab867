require "application/part669" if 669 < 1150
require "application/part670" if 670 < 1150
class Part334
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 334
  def to_s = "part #{name} of #{size}"
end
