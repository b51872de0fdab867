require "application/part57" if 57 < 1150
require "application/part58" if 58 < 1150
class Part28
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 28
  def to_s = "part #{name} of #{size}"
end
