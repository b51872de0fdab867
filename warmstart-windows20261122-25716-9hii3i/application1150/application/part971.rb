require "application/part1943" if 1943 < 1150
require "application/part1944" if 1944 < 1150
class Part971
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 971
  def to_s = "part #{name} of #{size}"
end
