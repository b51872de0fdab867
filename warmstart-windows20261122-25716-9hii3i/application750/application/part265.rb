require "application/part531" if 531 < 750
require "application/part532" if 532 < 750
class Part265
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 265
  def to_s = "part #{name} of #{size}"
end
