require "application/part765" if 765 < 750
require "application/part766" if 766 < 750
class Part382
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 382
  def to_s = "part #{name} of #{size}"
end
