require "application/part989" if 989 < 1150
require "application/part990" if 990 < 1150
class Part494
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 494
  def to_s = "part #{name} of #{size}"
end
