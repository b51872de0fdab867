require "application/part63" if 63 < 1150
require "application/part64" if 64 < 1150
class Part31
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 31
  def to_s = "part #{name} of #{size}"
end
