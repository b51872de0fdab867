require "application/part165" if 165 < 750
require "application/part166" if 166 < 750
class Part82
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 82
  def to_s = "part #{name} of #{size}"
end
