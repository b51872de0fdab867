require "application/part107" if 107 < 750
require "application/part108" if 108 < 750
class Part53
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 53
  def to_s = "part #{name} of #{size}"
end
