require "application/part163" if 163 < 750
require "application/part164" if 164 < 750
class Part81
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 81
  def to_s = "part #{name} of #{size}"
end
