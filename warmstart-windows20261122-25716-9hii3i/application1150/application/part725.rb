require "application/part1451" if 1451 < 1150
require "application/part1452" if 1452 < 1150
class Part725
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 725
  def to_s = "part #{name} of #{size}"
end
