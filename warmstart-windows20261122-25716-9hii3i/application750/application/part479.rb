require "application/part959" if 959 < 750
require "application/part960" if 960 < 750
class Part479
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 479
  def to_s = "part #{name} of #{size}"
end
