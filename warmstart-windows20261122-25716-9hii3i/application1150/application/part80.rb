require "application/part161" if 161 < 1150
require "application/part162" if 162 < 1150
class Part80
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 80
  def to_s = "part #{name} of #{size}"
end
