require "application/part227" if 227 < 750
require "application/part228" if 228 < 750
class Part113
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 113
  def to_s = "part #{name} of #{size}"
end
