require "application/part773" if 773 < 750
require "application/part774" if 774 < 750
class Part386
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 386
  def to_s = "part #{name} of #{size}"
end
