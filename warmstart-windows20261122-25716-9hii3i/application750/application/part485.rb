require "application/part971" if 971 < 750
require "application/part972" if 972 < 750
class Part485
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 485
  def to_s = "part #{name} of #{size}"
end
