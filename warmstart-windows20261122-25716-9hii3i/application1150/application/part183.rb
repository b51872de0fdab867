require "application/part367" if 367 < 1150
require "application/part368" if 368 < 1150
class Part183
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 183
  def to_s = "part #{name} of #{size}"
end
