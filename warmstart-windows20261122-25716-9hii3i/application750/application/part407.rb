require "application/part815" if 815 < 750
require "application/part816" if 816 < 750
class Part407
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 407
  def to_s = "part #{name} of #{size}"
end
