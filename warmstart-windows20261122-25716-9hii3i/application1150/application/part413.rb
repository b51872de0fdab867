require "application/part827" if 827 < 1150
require "application/part828" if 828 < 1150
class Part413
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 413
  def to_s = "part #{name} of #{size}"
end
