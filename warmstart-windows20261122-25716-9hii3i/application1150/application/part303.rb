require "application/part607" if 607 < 1150
require "application/part608" if 608 < 1150
class Part303
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 303
  def to_s = "part #{name} of #{size}"
end
