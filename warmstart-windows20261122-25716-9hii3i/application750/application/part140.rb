require "application/part281" if 281 < 750
require "application/part282" if 282 < 750
class Part140
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 140
  def to_s = "part #{name} of #{size}"
end
