require "application/part47" if 47 < 1150
require "application/part48" if 48 < 1150
class Part23
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 23
  def to_s = "part #{name} of #{size}"
end
