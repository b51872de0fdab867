require "application/part213" if 213 < 1150
require "application/part214" if 214 < 1150
class Part106
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 106
  def to_s = "part #{name} of #{size}"
end
