require "application/part319" if 319 < 1150
require "application/part320" if 320 < 1150
class Part159
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 159
  def to_s = "part #{name} of #{size}"
end
