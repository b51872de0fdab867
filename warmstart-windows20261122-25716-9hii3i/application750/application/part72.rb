require "application/part145" if 145 < 750
require "application/part146" if 146 < 750
class Part72
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 72
  def to_s = "part #{name} of #{size}"
end
