require "application/part277" if 277 < 750
require "application/part278" if 278 < 750
class Part138
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 138
  def to_s = "part #{name} of #{size}"
end
