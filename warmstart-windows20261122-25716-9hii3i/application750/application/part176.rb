require "application/part353" if 353 < 750
require "application/part354" if 354 < 750
class Part176
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 176
  def to_s = "part #{name} of #{size}"
end
