require "application/part1741" if 1741 < 1150
require "application/part1742" if 1742 < 1150
class Part870
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 870
  def to_s = "part #{name} of #{size}"
end
