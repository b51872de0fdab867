require "application/part661" if 661 < 750
require "application/part662" if 662 < 750
class Part330
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 330
  def to_s = "part #{name} of #{size}"
end
