require "application/part59" if 59 < 750
require "application/part60" if 60 < 750
class Part29
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 29
  def to_s = "part #{name} of #{size}"
end
