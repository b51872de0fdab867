require "application/part387" if 387 < 750
require "application/part388" if 388 < 750
class Part193
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 193
  def to_s = "part #{name} of #{size}"
end
