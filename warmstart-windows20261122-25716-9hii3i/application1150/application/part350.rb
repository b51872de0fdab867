require "application/part701" if 701 < 1150
require "application/part702" if 702 < 1150
class Part350
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 350
  def to_s = "part #{name} of #{size}"
end
