require "application/part733" if 733 < 750
require "application/part734" if 734 < 750
class Part366
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 366
  def to_s = "part #{name} of #{size}"
end
