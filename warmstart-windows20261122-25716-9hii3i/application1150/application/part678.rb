require "application/part1357" if 1357 < 1150
require "application/part1358" if 1358 < 1150
class Part678
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 678
  def to_s = "part #{name} of #{size}"
end
