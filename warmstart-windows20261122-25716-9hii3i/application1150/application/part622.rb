require "application/part1245" if 1245 < 1150
require "application/part1246" if 1246 < 1150
class Part622
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 622
  def to_s = "part #{name} of #{size}"
end
