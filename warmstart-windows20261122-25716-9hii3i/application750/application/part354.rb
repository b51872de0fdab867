require "application/part709" if 709 < 750
require "application/part710" if 710 < 750
class Part354
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 354
  def to_s = "part #{name} of #{size}"
end
