require "application/part883" if 883 < 750
require "application/part884" if 884 < 750
class Part441
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 441
  def to_s = "part #{name} of #{size}"
end
