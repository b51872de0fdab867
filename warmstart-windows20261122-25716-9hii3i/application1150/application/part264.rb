require "application/part529" if 529 < 1150
require "application/part530" if 530 < 1150
class Part264
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 264
  def to_s = "part #{name} of #{size}"
end
