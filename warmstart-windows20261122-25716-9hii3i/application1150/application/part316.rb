require "application/part633" if 633 < 1150
require "application/part634" if 634 < 1150
class Part316
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 316
  def to_s = "part #{name} of #{size}"
end
