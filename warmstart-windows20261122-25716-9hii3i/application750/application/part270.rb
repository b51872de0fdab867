require "application/part541" if 541 < 750
require "application/part542" if 542 < 750
class Part270
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 270
  def to_s = "part #{name} of #{size}"
end
