require "application/part833" if 833 < 750
require "application/part834" if 834 < 750
class Part416
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 416
  def to_s = "part #{name} of #{size}"
end
