require "application/part805" if 805 < 1150
require "application/part806" if 806 < 1150
class Part402
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 402
  def to_s = "part #{name} of #{size}"
end
