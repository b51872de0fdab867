require "application/part221" if 221 < 1150
require "application/part222" if 222 < 1150
class Part110
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 110
  def to_s = "part #{name} of #{size}"
end
