require "application/part157" if 157 < 1150
require "application/part158" if 158 < 1150
class Part78
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 78
  def to_s = "part #{name} of #{size}"
end
