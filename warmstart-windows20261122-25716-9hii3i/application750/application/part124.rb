require "application/part249" if 249 < 750
require "application/part250" if 250 < 750
class Part124
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 124
  def to_s = "part #{name} of #{size}"
end
