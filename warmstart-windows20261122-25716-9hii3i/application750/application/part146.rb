require "application/part293" if 293 < 750
require "application/part294" if 294 < 750
class Part146
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 146
  def to_s = "part #{name} of #{size}"
end
