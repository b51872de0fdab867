require "application/part265" if 265 < 750
require "application/part266" if 266 < 750
class Part132
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 132
  def to_s = "part #{name} of #{size}"
end
