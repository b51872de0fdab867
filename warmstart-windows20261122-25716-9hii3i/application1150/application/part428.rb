require "application/part857" if 857 < 1150
require "application/part858" if 858 < 1150
class Part428
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 428
  def to_s = "part #{name} of #{size}"
end
