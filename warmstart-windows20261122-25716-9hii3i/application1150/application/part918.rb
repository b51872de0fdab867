require "application/part1837" if 1837 < 1150
require "application/part1838" if 1838 < 1150
class Part918
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 918
  def to_s = "part #{name} of #{size}"
end
