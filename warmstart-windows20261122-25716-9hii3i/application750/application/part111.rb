require "application/part223" if 223 < 750
require "application/part224" if 224 < 750
class Part111
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 111
  def to_s = "part #{name} of #{size}"
end
