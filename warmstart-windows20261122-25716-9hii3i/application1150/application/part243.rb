require "application/part487" if 487 < 1150
require "application/part488" if 488 < 1150
class Part243
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 243
  def to_s = "part #{name} of #{size}"
end
