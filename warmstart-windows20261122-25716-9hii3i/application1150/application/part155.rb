require "application/part311" if 311 < 1150
require "application/part312" if 312 < 1150
class Part155
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 155
  def to_s = "part #{name} of #{size}"
end
