require "application/part771" if 771 < 1150
require "application/part772" if 772 < 1150
class Part385
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 385
  def to_s = "part #{name} of #{size}"
end
