require "application/part269" if 269 < 750
require "application/part270" if 270 < 750
class Part134
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 134
  def to_s = "part #{name} of #{size}"
end
