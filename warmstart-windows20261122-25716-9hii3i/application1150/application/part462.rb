require "application/part925" if 925 < 1150
require "application/part926" if 926 < 1150
class Part462
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 462
  def to_s = "part #{name} of #{size}"
end
