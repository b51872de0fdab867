require "application/part627" if 627 < 1150
require "application/part628" if 628 < 1150
class Part313
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 313
  def to_s = "part #{name} of #{size}"
end
