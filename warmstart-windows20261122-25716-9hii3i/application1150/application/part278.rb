require "application/part557" if 557 < 1150
require "application/part558" if 558 < 1150
class Part278
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 278
  def to_s = "part #{name} of #{size}"
end
