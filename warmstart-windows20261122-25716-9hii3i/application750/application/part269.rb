require "application/part539" if 539 < 750
require "application/part540" if 540 < 750
class Part269
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 269
  def to_s = "part #{name} of #{size}"
end
