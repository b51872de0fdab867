require "application/part617" if 617 < 1150
require "application/part618" if 618 < 1150
class Part308
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 308
  def to_s = "part #{name} of #{size}"
end
