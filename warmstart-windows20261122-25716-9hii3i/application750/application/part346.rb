require "application/part693" if 693 < 750
require "application/part694" if 694 < 750
class Part346
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 346
  def to_s = "part #{name} of #{size}"
end
