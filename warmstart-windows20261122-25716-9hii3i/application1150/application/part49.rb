require "application/part99" if 99 < 1150
require "application/part100" if 100 < 1150
class Part49
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 49
  def to_s = "part #{name} of #{size}"
end
