require "application/part543" if 543 < 750
require "application/part544" if 544 < 750
class Part271
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 271
  def to_s = "part #{name} of #{size}"
end
