require "application/part1409" if 1409 < 750
require "application/part1410" if 1410 < 750
class Part704
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 704
  def to_s = "part #{name} of #{size}"
end
