require "application/part445" if 445 < 750
require "application/part446" if 446 < 750
class Part222
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 222
  def to_s = "part #{name} of #{size}"
end
