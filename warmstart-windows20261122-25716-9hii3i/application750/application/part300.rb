require "application/part601" if 601 < 750
require "application/part602" if 602 < 750
class Part300
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 300
  def to_s = "part #{name} of #{size}"
end
