require "application/part835" if 835 < 1150
require "application/part836" if 836 < 1150
class Part417
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 417
  def to_s = "part #{name} of #{size}"
end
