require "application/part871" if 871 < 750
require "application/part872" if 872 < 750
class Part435
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 435
  def to_s = "part #{name} of #{size}"
end
