require "application/part271" if 271 < 750
require "application/part272" if 272 < 750
class Part135
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 135
  def to_s = "part #{name} of #{size}"
end
