require "application/part197" if 197 < 750
require "application/part198" if 198 < 750
class Part98
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 98
  def to_s = "part #{name} of #{size}"
end
