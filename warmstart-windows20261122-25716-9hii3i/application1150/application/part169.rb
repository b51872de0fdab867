require "application/part339" if 339 < 1150
require "application/part340" if 340 < 1150
class Part169
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 169
  def to_s = "part #{name} of #{size}"
end
