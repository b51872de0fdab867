require "application/part853" if 853 < 750
require "application/part854" if 854 < 750
class Part426
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 426
  def to_s = "part #{name} of #{size}"
end
