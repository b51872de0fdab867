require "application/part935" if 935 < 1150
require "application/part936" if 936 < 1150
class Part467
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 467
  def to_s = "part #{name} of #{size}"
end
