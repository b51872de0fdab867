require "application/part841" if 841 < 1150
require "application/part842" if 842 < 1150
class Part420
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 420
  def to_s = "part #{name} of #{size}"
end
