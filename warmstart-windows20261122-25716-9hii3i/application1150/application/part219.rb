require "application/part439" if 439 < 1150
require "application/part440" if 440 < 1150
class Part219
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 219
  def to_s = "part #{name} of #{size}"
end
