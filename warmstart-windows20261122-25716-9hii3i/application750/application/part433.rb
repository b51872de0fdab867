require "application/part867" if 867 < 750
require "application/part868" if 868 < 750
class Part433
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 433
  def to_s = "part #{name} of #{size}"
end
