require "application/part263" if 263 < 750
require "application/part264" if 264 < 750
class Part131
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 131
  def to_s = "part #{name} of #{size}"
end
