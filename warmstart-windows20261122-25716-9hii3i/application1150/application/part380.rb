require "application/part761" if 761 < 1150
require "application/part762" if 762 < 1150
class Part380
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 380
  def to_s = "part #{name} of #{size}"
end
