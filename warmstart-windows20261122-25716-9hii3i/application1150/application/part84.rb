require "application/part169" if 169 < 1150
require "application/part170" if 170 < 1150
class Part84
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 84
  def to_s = "part #{name} of #{size}"
end
