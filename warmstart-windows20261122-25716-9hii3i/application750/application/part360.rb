require "application/part721" if 721 < 750
require "application/part722" if 722 < 750
class Part360
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 360
  def to_s = "part #{name} of #{size}"
end
