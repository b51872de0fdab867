require "application/part655" if 655 < 1150
require "application/part656" if 656 < 1150
class Part327
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 327
  def to_s = "part #{name} of #{size}"
end
