require "application/part819" if 819 < 1150
require "application/part820" if 820 < 1150
class Part409
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 409
  def to_s = "part #{name} of #{size}"
end
