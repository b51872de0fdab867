require "application/part297" if 297 < 750
require "application/part298" if 298 < 750
class Part148
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 148
  def to_s = "part #{name} of #{size}"
end
