require "application/part593" if 593 < 750
require "application/part594" if 594 < 750
class Part296
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 296
  def to_s = "part #{name} of #{size}"
end
