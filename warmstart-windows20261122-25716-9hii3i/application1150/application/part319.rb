require "application/part639" if 639 < 1150
require "application/part640" if 640 < 1150
class Part319
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 319
  def to_s = "part #{name} of #{size}"
end
