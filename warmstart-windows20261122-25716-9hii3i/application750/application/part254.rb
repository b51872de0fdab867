require "application/part509" if 509 < 750
require "application/part510" if 510 < 750
class Part254
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 254
  def to_s = "part #{name} of #{size}"
end
