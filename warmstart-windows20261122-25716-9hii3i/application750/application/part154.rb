require "application/part309" if 309 < 750
require "application/part310" if 310 < 750
class Part154
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 154
  def to_s = "part #{name} of #{size}"
end
