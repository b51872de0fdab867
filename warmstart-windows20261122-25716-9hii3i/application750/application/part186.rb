require "application/part373" if 373 < 750
require "application/part374" if 374 < 750
class Part186
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 186
  def to_s = "part #{name} of #{size}"
end
