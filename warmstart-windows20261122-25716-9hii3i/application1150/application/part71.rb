require "application/part143" if 143 < 1150
require "application/part144" if 144 < 1150
class Part71
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 71
  def to_s = "part #{name} of #{size}"
end
