require "application/part1707" if 1707 < 1150
require "application/part1708" if 1708 < 1150
class Part853
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 853
  def to_s = "part #{name} of #{size}"
end
