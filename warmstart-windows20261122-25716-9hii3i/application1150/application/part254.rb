require "application/part509" if 509 < 1150
require "application/part510" if 510 < 1150
class Part254
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 254
  def to_s = "part #{name} of #{size}"
end
