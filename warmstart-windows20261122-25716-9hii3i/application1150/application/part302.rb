require "application/part605" if 605 < 1150
require "application/part606" if 606 < 1150
class Part302
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 302
  def to_s = "part #{name} of #{size}"
end
