require "application/part335" if 335 < 750
require "application/part336" if 336 < 750
class Part167
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 167
  def to_s = "part #{name} of #{size}"
end
