require "application/part763" if 763 < 750
require "application/part764" if 764 < 750
class Part381
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 381
  def to_s = "part #{name} of #{size}"
end
