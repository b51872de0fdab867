require "application/part53" if 53 < 750
require "application/part54" if 54 < 750
class Part26
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 26
  def to_s = "part #{name} of #{size}"
end
