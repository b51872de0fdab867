require "application/part239" if 239 < 1150
require "application/part240" if 240 < 1150
class Part119
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 119
  def to_s = "part #{name} of #{size}"
end
