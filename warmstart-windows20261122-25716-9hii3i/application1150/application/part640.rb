require "application/part1281" if 1281 < 1150
require "application/part1282" if 1282 < 1150
class Part640
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 640
  def to_s = "part #{name} of #{size}"
end
