require "application/part671" if 671 < 1150
require "application/part672" if 672 < 1150
class Part335
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 335
  def to_s = "part #{name} of #{size}"
end
