require "application/part147" if 147 < 1150
require "application/part148" if 148 < 1150
class Part73
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 73
  def to_s = "part #{name} of #{size}"
end
