require "application/part1897" if 1897 < 1150
require "application/part1898" if 1898 < 1150
class Part948
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 948
  def to_s = "part #{name} of #{size}"
end
