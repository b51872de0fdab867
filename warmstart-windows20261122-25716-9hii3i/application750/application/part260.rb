require "application/part521" if 521 < 750
require "application/part522" if 522 < 750
class Part260
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 260
  def to_s = "part #{name} of #{size}"
end
