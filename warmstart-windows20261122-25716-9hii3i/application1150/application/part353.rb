require "application/part707" if 707 < 1150
require "application/part708" if 708 < 1150
class Part353
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 353
  def to_s = "part #{name} of #{size}"
end
