require "application/part977" if 977 < 1150
require "application/part978" if 978 < 1150
class Part488
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 488
  def to_s = "part #{name} of #{size}"
end
