require "application/part25" if 25 < 750
require "application/part26" if 26 < 750
class Part12
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 12
  def to_s = "part #{name} of #{size}"
end
