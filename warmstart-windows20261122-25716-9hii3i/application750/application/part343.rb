require "application/part687" if 687 < 750
require "application/part688" if 688 < 750
class Part343
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 343
  def to_s = "part #{name} of #{size}"
end
