require "application/part1171" if 1171 < 1150
require "application/part1172" if 1172 < 1150
class Part585
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 585
  def to_s = "part #{name} of #{size}"
end
