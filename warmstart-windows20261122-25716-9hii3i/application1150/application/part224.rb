require "application/part449" if 449 < 1150
require "application/part450" if 450 < 1150
class Part224
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 224
  def to_s = "part #{name} of #{size}"
end
