require "application/part647" if 647 < 1150
require "application/part648" if 648 < 1150
class Part323
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 323
  def to_s = "part #{name} of #{size}"
end
