require "application/part13" if 13 < 750
require "application/part14" if 14 < 750
class Part6
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 6
  def to_s = "part #{name} of #{size}"
end
