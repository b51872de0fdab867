require "application/part351" if 351 < 1150
require "application/part352" if 352 < 1150
class Part175
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 175
  def to_s = "part #{name} of #{size}"
end
