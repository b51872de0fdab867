require "application/part629" if 629 < 750
require "application/part630" if 630 < 750
class Part314
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 314
  def to_s = "part #{name} of #{size}"
end
