require "application/part635" if 635 < 750
require "application/part636" if 636 < 750
class Part317
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 317
  def to_s = "part #{name} of #{size}"
end
