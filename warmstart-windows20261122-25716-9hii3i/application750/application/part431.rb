require "application/part863" if 863 < 750
require "application/part864" if 864 < 750
class Part431
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 431
  def to_s = "part #{name} of #{size}"
end
