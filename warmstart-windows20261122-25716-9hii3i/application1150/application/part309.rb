require "application/part619" if 619 < 1150
require "application/part620" if 620 < 1150
class Part309
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 309
  def to_s = "part #{name} of #{size}"
end
