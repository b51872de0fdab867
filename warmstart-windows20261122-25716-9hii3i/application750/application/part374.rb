require "application/part749" if 749 < 750
require "application/part750" if 750 < 750
class Part374
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 374
  def to_s = "part #{name} of #{size}"
end
