require "application/part933" if 933 < 1150
require "application/part934" if 934 < 1150
class Part466
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 466
  def to_s = "part #{name} of #{size}"
end
