require "application/part329" if 329 < 1150
require "application/part330" if 330 < 1150
class Part164
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 164
  def to_s = "part #{name} of #{size}"
end
