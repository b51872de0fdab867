require "application/part461" if 461 < 1150
require "application/part462" if 462 < 1150
class Part230
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 230
  def to_s = "part #{name} of #{size}"
end
