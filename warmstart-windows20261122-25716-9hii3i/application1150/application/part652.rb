require "application/part1305" if 1305 < 1150
require "application/part1306" if 1306 < 1150
class Part652
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 652
  def to_s = "part #{name} of #{size}"
end
