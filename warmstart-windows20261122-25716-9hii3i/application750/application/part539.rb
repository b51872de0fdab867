require "application/part1079" if 1079 < 750
require "application/part1080" if 1080 < 750
class Part539
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 539
  def to_s = "part #{name} of #{size}"
end
