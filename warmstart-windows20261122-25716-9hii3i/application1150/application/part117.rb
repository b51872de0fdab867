require "application/part235" if 235 < 1150
require "application/part236" if 236 < 1150
class Part117
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 117
  def to_s = "part #{name} of #{size}"
end
