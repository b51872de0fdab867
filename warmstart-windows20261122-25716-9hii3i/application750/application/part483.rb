require "application/part967" if 967 < 750
require "application/part968" if 968 < 750
class Part483
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 483
  def to_s = "part #{name} of #{size}"
end
