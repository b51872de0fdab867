require "application/part229" if 229 < 1150
require "application/part230" if 230 < 1150
class Part114
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 114
  def to_s = "part #{name} of #{size}"
end
