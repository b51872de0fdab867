require "application/part743" if 743 < 1150
require "application/part744" if 744 < 1150
class Part371
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 371
  def to_s = "part #{name} of #{size}"
end
