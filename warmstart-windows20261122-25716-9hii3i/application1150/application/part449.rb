require "application/part899" if 899 < 1150
require "application/part900" if 900 < 1150
class Part449
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 449
  def to_s = "part #{name} of #{size}"
end
