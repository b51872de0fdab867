require "application/part717" if 717 < 750
require "application/part718" if 718 < 750
class Part358
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 358
  def to_s = "part #{name} of #{size}"
end
