require "application/part535" if 535 < 750
require "application/part536" if 536 < 750
class Part267
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 267
  def to_s = "part #{name} of #{size}"
end
