require "application/part19" if 19 < 750
require "application/part20" if 20 < 750
class Part9
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 9
  def to_s = "part #{name} of #{size}"
end
