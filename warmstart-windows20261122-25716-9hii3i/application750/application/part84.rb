require "application/part169" if 169 < 750
require "application/part170" if 170 < 750
class Part84
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 84
  def to_s = "part #{name} of #{size}"
end
