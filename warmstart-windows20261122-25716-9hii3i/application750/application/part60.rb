require "application/part121" if 121 < 750
require "application/part122" if 122 < 750
class Part60
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 60
  def to_s = "part #{name} of #{size}"
end
