require "application/part711" if 711 < 750
require "application/part712" if 712 < 750
class Part355
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 355
  def to_s = "part #{name} of #{size}"
end
