require "application/part97" if 97 < 1150
require "application/part98" if 98 < 1150
class Part48
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 48
  def to_s = "part #{name} of #{size}"
end
