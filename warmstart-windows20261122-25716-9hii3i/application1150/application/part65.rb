require "application/part131" if 131 < 1150
require "application/part132" if 132 < 1150
class Part65
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 65
  def to_s = "part #{name} of #{size}"
end
