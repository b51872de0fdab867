require "application/part503" if 503 < 1150
require "application/part504" if 504 < 1150
class Part251
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 251
  def to_s = "part #{name} of #{size}"
end
