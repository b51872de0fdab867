require "application/part787" if 787 < 1150
require "application/part788" if 788 < 1150
class Part393
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 393
  def to_s = "part #{name} of #{size}"
end
