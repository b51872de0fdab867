require "application/part1411" if 1411 < 1150
require "application/part1412" if 1412 < 1150
class Part705
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 705
  def to_s = "part #{name} of #{size}"
end
