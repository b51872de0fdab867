require "application/part885" if 885 < 750
require "application/part886" if 886 < 750
class Part442
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 442
  def to_s = "part #{name} of #{size}"
end
