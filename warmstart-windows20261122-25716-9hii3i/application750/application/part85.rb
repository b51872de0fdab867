require "application/part171" if 171 < 750
require "application/part172" if 172 < 750
class Part85
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 85
  def to_s = "part #{name} of #{size}"
end
