require "application/part525" if 525 < 1150
require "application/part526" if 526 < 1150
class Part262
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 262
  def to_s = "part #{name} of #{size}"
end
