require "application/part703" if 703 < 1150
require "application/part704" if 704 < 1150
class Part351
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 351
  def to_s = "part #{name} of #{size}"
end
