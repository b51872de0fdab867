require "application/part83" if 83 < 1150
require "application/part84" if 84 < 1150
class Part41
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 41
  def to_s = "part #{name} of #{size}"
end
