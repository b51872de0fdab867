require "application/part433" if 433 < 1150
require "application/part434" if 434 < 1150
class Part216
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 216
  def to_s = "part #{name} of #{size}"
end
