require "application/part795" if 795 < 750
require "application/part796" if 796 < 750
class Part397
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 397
  def to_s = "part #{name} of #{size}"
end
