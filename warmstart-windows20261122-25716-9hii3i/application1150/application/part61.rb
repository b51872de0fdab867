require "application/part123" if 123 < 1150
require "application/part124" if 124 < 1150
class Part61
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 61
  def to_s = "part #{name} of #{size}"
end
