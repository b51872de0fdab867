require "application/part641" if 641 < 750
require "application/part642" if 642 < 750
class Part320
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 320
  def to_s = "part #{name} of #{size}"
end
