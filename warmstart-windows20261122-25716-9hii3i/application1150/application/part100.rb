require "application/part201" if 201 < 1150
require "application/part202" if 202 < 1150
class Part100
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 100
  def to_s = "part #{name} of #{size}"
end
