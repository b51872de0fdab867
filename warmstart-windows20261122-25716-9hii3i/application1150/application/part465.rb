require "application/part931" if 931 < 1150
require "application/part932" if 932 < 1150
class Part465
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 465
  def to_s = "part #{name} of #{size}"
end
