require "application/part39" if 39 < 1150
require "application/part40" if 40 < 1150
class Part19
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 19
  def to_s = "part #{name} of #{size}"
end
