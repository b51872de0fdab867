require "application/part1015" if 1015 < 1150
require "application/part1016" if 1016 < 1150
class Part507
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 507
  def to_s = "part #{name} of #{size}"
end
