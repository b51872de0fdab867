require "application/part801" if 801 < 750
require "application/part802" if 802 < 750
class Part400
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 400
  def to_s = "part #{name} of #{size}"
end
