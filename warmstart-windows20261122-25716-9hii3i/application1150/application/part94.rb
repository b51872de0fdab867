require "application/part189" if 189 < 1150
require "application/part190" if 190 < 1150
class Part94
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 94
  def to_s = "part #{name} of #{size}"
end
