require "application/part55" if 55 < 750
require "application/part56" if 56 < 750
class Part27
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 27
  def to_s = "part #{name} of #{size}"
end
