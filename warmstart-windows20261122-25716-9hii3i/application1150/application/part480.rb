require "application/part961" if 961 < 1150
require "application/part962" if 962 < 1150
class Part480
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 480
  def to_s = "part #{name} of #{size}"
end
