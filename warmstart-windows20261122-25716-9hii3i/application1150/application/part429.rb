require "application/part859" if 859 < 1150
require "application/part860" if 860 < 1150
class Part429
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 429
  def to_s = "part #{name} of #{size}"
end
