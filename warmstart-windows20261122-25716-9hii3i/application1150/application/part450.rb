require "application/part901" if 901 < 1150
require "application/part902" if 902 < 1150
class Part450
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 450
  def to_s = "part #{name} of #{size}"
end
