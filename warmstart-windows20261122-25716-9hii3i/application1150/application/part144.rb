require "application/part289" if 289 < 1150
require "application/part290" if 290 < 1150
class Part144
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 144
  def to_s = "part #{name} of #{size}"
end
