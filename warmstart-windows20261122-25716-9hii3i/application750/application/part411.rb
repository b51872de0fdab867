require "application/part823" if 823 < 750
require "application/part824" if 824 < 750
class Part411
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 411
  def to_s = "part #{name} of #{size}"
end
