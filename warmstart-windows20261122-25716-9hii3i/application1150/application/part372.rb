require "application/part745" if 745 < 1150
require "application/part746" if 746 < 1150
class Part372
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 372
  def to_s = "part #{name} of #{size}"
end
