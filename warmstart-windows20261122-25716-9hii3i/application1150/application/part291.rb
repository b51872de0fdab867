require "application/part583" if 583 < 1150
require "application/part584" if 584 < 1150
class Part291
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 291
  def to_s = "part #{name} of #{size}"
end
