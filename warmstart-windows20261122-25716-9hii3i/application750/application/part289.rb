require "application/part579" if 579 < 750
require "application/part580" if 580 < 750
class Part289
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 289
  def to_s = "part #{name} of #{size}"
end
