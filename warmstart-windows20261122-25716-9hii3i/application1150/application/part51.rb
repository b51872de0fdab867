require "application/part103" if 103 < 1150
require "application/part104" if 104 < 1150
class Part51
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 51
  def to_s = "part #{name} of #{size}"
end
