require "application/part257" if 257 < 1150
require "application/part258" if 258 < 1150
class Part128
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 128
  def to_s = "part #{name} of #{size}"
end
