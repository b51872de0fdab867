require "application/part735" if 735 < 750
require "application/part736" if 736 < 750
class Part367
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 367
  def to_s = "part #{name} of #{size}"
end
