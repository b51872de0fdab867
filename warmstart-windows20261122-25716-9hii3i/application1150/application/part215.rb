require "application/part431" if 431 < 1150
require "application/part432" if 432 < 1150
class Part215
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 215
  def to_s = "part #{name} of #{size}"
end
