require "application/part43" if 43 < 750
require "application/part44" if 44 < 750
class Part21
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 21
  def to_s = "part #{name} of #{size}"
end
