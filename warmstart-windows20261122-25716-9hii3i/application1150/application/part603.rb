require "application/part1207" if 1207 < 1150
require "application/part1208" if 1208 < 1150
class Part603
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 603
  def to_s = "part #{name} of #{size}"
end
