require "application/part923" if 923 < 1150
require "application/part924" if 924 < 1150
class Part461
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 461
  def to_s = "part #{name} of #{size}"
end
