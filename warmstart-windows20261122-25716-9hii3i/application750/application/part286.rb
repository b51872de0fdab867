require "application/part573" if 573 < 750
require "application/part574" if 574 < 750
class Part286
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 286
  def to_s = "part #{name} of #{size}"
end
