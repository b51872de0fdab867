require "application/part331" if 331 < 750
require "application/part332" if 332 < 750
class Part165
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 165
  def to_s = "part #{name} of #{size}"
end
