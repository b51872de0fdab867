require "application/part345" if 345 < 750
require "application/part346" if 346 < 750
class Part172
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 172
  def to_s = "part #{name} of #{size}"
end
