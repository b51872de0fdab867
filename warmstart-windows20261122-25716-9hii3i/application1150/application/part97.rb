require "application/part195" if 195 < 1150
require "application/part196" if 196 < 1150
class Part97
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 97
  def to_s = "part #{name} of #{size}"
end
