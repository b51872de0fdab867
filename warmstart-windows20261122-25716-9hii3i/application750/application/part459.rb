require "application/part919" if 919 < 750
require "application/part920" if 920 < 750
class Part459
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 459
  def to_s = "part #{name} of #{size}"
end
