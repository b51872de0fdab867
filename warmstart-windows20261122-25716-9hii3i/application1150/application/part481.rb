require "application/part963" if 963 < 1150
require "application/part964" if 964 < 1150
class Part481
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 481
  def to_s = "part #{name} of #{size}"
end
