require "application/part383" if 383 < 1150
require "application/part384" if 384 < 1150
class Part191
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 191
  def to_s = "part #{name} of #{size}"
end
