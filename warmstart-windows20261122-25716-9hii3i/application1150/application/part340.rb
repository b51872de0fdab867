require "application/part681" if 681 < 1150
require "application/part682" if 682 < 1150
class Part340
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 340
  def to_s = "part #{name} of #{size}"
end
