require "application/part291" if 291 < 750
require "application/part292" if 292 < 750
class Part145
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 145
  def to_s = "part #{name} of #{size}"
end
