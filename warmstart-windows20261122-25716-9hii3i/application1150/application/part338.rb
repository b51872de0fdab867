require "application/part677" if 677 < 1150
require "application/part678" if 678 < 1150
class Part338
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 338
  def to_s = "part #{name} of #{size}"
end
