require "application/part1645" if 1645 < 1150
require "application/part1646" if 1646 < 1150
class Part822
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 822
  def to_s = "part #{name} of #{size}"
end
