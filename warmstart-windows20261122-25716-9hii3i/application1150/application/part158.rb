require "application/part317" if 317 < 1150
require "application/part318" if 318 < 1150
class Part158
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 158
  def to_s = "part #{name} of #{size}"
end
