require "application/part649" if 649 < 750
require "application/part650" if 650 < 750
class Part324
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 324
  def to_s = "part #{name} of #{size}"
end
