require "application/part1325" if 1325 < 1150
require "application/part1326" if 1326 < 1150
class Part662
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 662
  def to_s = "part #{name} of #{size}"
end
