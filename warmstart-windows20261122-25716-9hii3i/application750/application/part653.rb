require "application/part1307" if 1307 < 750
require "application/part1308" if 1308 < 750
class Part653
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 653
  def to_s = "part #{name} of #{size}"
end
