require "application/part571" if 571 < 750
require "application/part572" if 572 < 750
class Part285
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 285
  def to_s = "part #{name} of #{size}"
end
