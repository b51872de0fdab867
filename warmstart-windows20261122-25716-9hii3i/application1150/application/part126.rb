require "application/part253" if 253 < 1150
require "application/part254" if 254 < 1150
class Part126
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 126
  def to_s = "part #{name} of #{size}"
end
