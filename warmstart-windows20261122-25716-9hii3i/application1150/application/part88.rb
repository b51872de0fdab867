require "application/part177" if 177 < 1150
require "application/part178" if 178 < 1150
class Part88
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 88
  def to_s = "part #{name} of #{size}"
end
