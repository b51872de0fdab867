require "application/part137" if 137 < 1150
require "application/part138" if 138 < 1150
class Part68
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 68
  def to_s = "part #{name} of #{size}"
end
