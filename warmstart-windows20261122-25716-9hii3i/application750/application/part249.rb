require "application/part499" if 499 < 750
require "application/part500" if 500 < 750
class Part249
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 249
  def to_s = "part #{name} of #{size}"
end
