require "application/part987" if 987 < 1150
require "application/part988" if 988 < 1150
class Part493
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 493
  def to_s = "part #{name} of #{size}"
end
