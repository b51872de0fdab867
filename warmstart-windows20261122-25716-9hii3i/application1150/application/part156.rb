require "application/part313" if 313 < 1150
require "application/part314" if 314 < 1150
class Part156
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 156
  def to_s = "part #{name} of #{size}"
end
