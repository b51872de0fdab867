require "application/part513" if 513 < 750
require "application/part514" if 514 < 750
class Part256
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 256
  def to_s = "part #{name} of #{size}"
end
