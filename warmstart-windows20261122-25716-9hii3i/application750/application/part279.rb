require "application/part559" if 559 < 750
require "application/part560" if 560 < 750
class Part279
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 279
  def to_s = "part #{name} of #{size}"
end
