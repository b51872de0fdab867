require "application/part839" if 839 < 1150
require "application/part840" if 840 < 1150
class Part419
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 419
  def to_s = "part #{name} of #{size}"
end
