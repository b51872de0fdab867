require "application/part117" if 117 < 1150
require "application/part118" if 118 < 1150
class Part58
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 58
  def to_s = "part #{name} of #{size}"
end
