require "application/part979" if 979 < 750
require "application/part980" if 980 < 750
class Part489
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 489
  def to_s = "part #{name} of #{size}"
end
