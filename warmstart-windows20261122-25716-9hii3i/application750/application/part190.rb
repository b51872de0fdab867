require "application/part381" if 381 < 750
require "application/part382" if 382 < 750
class Part190
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 190
  def to_s = "part #{name} of #{size}"
end
