require "application/part567" if 567 < 750
require "application/part568" if 568 < 750
class Part283
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 283
  def to_s = "part #{name} of #{size}"
end
