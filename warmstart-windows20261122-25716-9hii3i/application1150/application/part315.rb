require "application/part631" if 631 < 1150
require "application/part632" if 632 < 1150
class Part315
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 315
  def to_s = "part #{name} of #{size}"
end
