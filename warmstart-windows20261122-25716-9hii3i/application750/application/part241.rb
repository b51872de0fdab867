require "application/part483" if 483 < 750
require "application/part484" if 484 < 750
class Part241
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 241
  def to_s = "part #{name} of #{size}"
end
