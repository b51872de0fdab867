require "application/part939" if 939 < 1150
require "application/part940" if 940 < 1150
class Part469
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 469
  def to_s = "part #{name} of #{size}"
end
