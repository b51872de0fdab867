require "application/part657" if 657 < 1150
require "application/part658" if 658 < 1150
class Part328
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 328
  def to_s = "part #{name} of #{size}"
end
