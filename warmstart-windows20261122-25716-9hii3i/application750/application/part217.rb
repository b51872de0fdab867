require "application/part435" if 435 < 750
require "application/part436" if 436 < 750
class Part217
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 217
  def to_s = "part #{name} of #{size}"
end
