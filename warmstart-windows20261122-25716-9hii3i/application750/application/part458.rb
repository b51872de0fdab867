require "application/part917" if 917 < 750
require "application/part918" if 918 < 750
class Part458
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 458
  def to_s = "part #{name} of #{size}"
end
