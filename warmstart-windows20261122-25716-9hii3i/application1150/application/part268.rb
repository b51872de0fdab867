require "application/part537" if 537 < 1150
require "application/part538" if 538 < 1150
class Part268
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 268
  def to_s = "part #{name} of #{size}"
end
