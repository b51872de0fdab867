require "application/part705" if 705 < 750
require "application/part706" if 706 < 750
class Part352
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 352
  def to_s = "part #{name} of #{size}"
end
