require "application/part775" if 775 < 750
require "application/part776" if 776 < 750
class Part387
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 387
  def to_s = "part #{name} of #{size}"
end
