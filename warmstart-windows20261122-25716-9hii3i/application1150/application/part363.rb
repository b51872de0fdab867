require "application/part727" if 727 < 1150
require "application/part728" if 728 < 1150
class Part363
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 363
  def to_s = "part #{name} of #{size}"
end
