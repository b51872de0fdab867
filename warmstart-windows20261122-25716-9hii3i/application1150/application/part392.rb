require "application/part785" if 785 < 1150
require "application/part786" if 786 < 1150
class Part392
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 392
  def to_s = "part #{name} of #{size}"
end
