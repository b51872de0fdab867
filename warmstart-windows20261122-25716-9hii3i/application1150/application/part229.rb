require "application/part459" if 459 < 1150
require "application/part460" if 460 < 1150
class Part229
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 229
  def to_s = "part #{name} of #{size}"
end
