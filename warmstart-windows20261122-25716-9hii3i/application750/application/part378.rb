require "application/part757" if 757 < 750
require "application/part758" if 758 < 750
class Part378
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 378
  def to_s = "part #{name} of #{size}"
end
