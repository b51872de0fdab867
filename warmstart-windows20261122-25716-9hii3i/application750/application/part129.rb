require "application/part259" if 259 < 750
require "application/part260" if 260 < 750
class Part129
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 129
  def to_s = "part #{name} of #{size}"
end
