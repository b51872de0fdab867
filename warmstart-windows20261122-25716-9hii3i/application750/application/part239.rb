require "application/part479" if 479 < 750
require "application/part480" if 480 < 750
class Part239
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 239
  def to_s = "part #{name} of #{size}"
end
