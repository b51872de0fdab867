require "application/part1759" if 1759 < 1150
require "application/part1760" if 1760 < 1150
class Part879
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 879
  def to_s = "part #{name} of #{size}"
end
