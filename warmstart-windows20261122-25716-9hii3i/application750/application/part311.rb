require "application/part623" if 623 < 750
require "application/part624" if 624 < 750
class Part311
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 311
  def to_s = "part #{name} of #{size}"
end
