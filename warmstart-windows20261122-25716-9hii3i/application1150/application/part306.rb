require "application/part613" if 613 < 1150
require "application/part614" if 614 < 1150
class Part306
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 306
  def to_s = "part #{name} of #{size}"
end
