require "application/part225" if 225 < 750
require "application/part226" if 226 < 750
class Part112
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 112
  def to_s = "part #{name} of #{size}"
end
