require "application/part93" if 93 < 750
require "application/part94" if 94 < 750
class Part46
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 46
  def to_s = "part #{name} of #{size}"
end
