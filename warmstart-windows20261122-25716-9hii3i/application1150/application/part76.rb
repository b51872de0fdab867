require "application/part153" if 153 < 1150
require "application/part154" if 154 < 1150
class Part76
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 76
  def to_s = "part #{name} of #{size}"
end
