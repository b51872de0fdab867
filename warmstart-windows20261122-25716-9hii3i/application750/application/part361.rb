require "application/part723" if 723 < 750
require "application/part724" if 724 < 750
class Part361
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 361
  def to_s = "part #{name} of #{size}"
end
