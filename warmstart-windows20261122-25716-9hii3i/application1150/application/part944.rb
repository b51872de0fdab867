require "application/part1889" if 1889 < 1150
require "application/part1890" if 1890 < 1150
class Part944
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 944
  def to_s = "part #{name} of #{size}"
end
