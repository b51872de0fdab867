require "application/part17" if 17 < 1150
require "application/part18" if 18 < 1150
class Part8
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 8
  def to_s = "part #{name} of #{size}"
end
