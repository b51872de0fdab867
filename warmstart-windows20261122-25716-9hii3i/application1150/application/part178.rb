require "application/part357" if 357 < 1150
require "application/part358" if 358 < 1150
class Part178
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 178
  def to_s = "part #{name} of #{size}"
end
