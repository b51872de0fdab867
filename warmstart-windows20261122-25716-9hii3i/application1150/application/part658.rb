require "application/part1317" if 1317 < 1150
require "application/part1318" if 1318 < 1150
class Part658
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 658
  def to_s = "part #{name} of #{size}"
end
