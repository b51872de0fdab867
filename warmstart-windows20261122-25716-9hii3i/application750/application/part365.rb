require "application/part731" if 731 < 750
require "application/part732" if 732 < 750
class Part365
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 365
  def to_s = "part #{name} of #{size}"
end
