require "application/part187" if 187 < 1150
require "application/part188" if 188 < 1150
class Part93
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 93
  def to_s = "part #{name} of #{size}"
end
