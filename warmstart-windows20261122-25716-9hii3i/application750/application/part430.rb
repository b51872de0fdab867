require "application/part861" if 861 < 750
require "application/part862" if 862 < 750
class Part430
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 430
  def to_s = "part #{name} of #{size}"
end
