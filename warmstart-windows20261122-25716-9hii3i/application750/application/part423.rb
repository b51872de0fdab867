require "application/part847" if 847 < 750
require "application/part848" if 848 < 750
class Part423
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 423
  def to_s = "part #{name} of #{size}"
end
