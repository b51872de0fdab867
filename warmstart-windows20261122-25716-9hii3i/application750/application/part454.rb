require "application/part909" if 909 < 750
require "application/part910" if 910 < 750
class Part454
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 454
  def to_s = "part #{name} of #{size}"
end
