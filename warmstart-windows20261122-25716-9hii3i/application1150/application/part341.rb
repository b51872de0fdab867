require "application/part683" if 683 < 1150
require "application/part684" if 684 < 1150
class Part341
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 341
  def to_s = "part #{name} of #{size}"
end
