require "application/part391" if 391 < 1150
require "application/part392" if 392 < 1150
class Part195
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 195
  def to_s = "part #{name} of #{size}"
end
