require "application/part1977" if 1977 < 1150
require "application/part1978" if 1978 < 1150
class Part988
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 988
  def to_s = "part #{name} of #{size}"
end
