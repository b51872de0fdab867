require "application/part725" if 725 < 1150
require "application/part726" if 726 < 1150
class Part362
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 362
  def to_s = "part #{name} of #{size}"
end
