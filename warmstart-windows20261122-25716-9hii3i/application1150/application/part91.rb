require "application/part183" if 183 < 1150
require "application/part184" if 184 < 1150
class Part91
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 91
  def to_s = "part #{name} of #{size}"
end
