require "application/part625" if 625 < 750
require "application/part626" if 626 < 750
class Part312
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 312
  def to_s = "part #{name} of #{size}"
end
