require "application/part127" if 127 < 1150
require "application/part128" if 128 < 1150
class Part63
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 63
  def to_s = "part #{name} of #{size}"
end
