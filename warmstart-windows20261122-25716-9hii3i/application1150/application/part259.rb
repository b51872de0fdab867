require "application/part519" if 519 < 1150
require "application/part520" if 520 < 1150
class Part259
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 259
  def to_s = "part #{name} of #{size}"
end
