require "application/part79" if 79 < 1150
require "application/part80" if 80 < 1150
class Part39
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 39
  def to_s = "part #{name} of #{size}"
end
