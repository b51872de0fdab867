require "application/part789" if 789 < 1150
require "application/part790" if 790 < 1150
class Part394
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 394
  def to_s = "part #{name} of #{size}"
end
