require "application/part849" if 849 < 1150
require "application/part850" if 850 < 1150
class Part424
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 424
  def to_s = "part #{name} of #{size}"
end
