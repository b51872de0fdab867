require "application/part587" if 587 < 750
require "application/part588" if 588 < 750
class Part293
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 293
  def to_s = "part #{name} of #{size}"
end
