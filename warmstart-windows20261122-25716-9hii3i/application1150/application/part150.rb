require "application/part301" if 301 < 1150
require "application/part302" if 302 < 1150
class Part150
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 150
  def to_s = "part #{name} of #{size}"
end
