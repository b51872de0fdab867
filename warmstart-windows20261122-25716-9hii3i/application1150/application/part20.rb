require "application/part41" if 41 < 1150
require "application/part42" if 42 < 1150
class Part20
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 20
  def to_s = "part #{name} of #{size}"
end
